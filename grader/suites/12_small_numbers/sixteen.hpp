#pragma once

#include "diagnosis/choices.hpp"

#include "reference/array.hpp"

/// Numbers of sixteen bits and attention in them (exercise 12). Everything is computed in double precision between
/// two roundings, and each rounding says whether a right program might have come out on the other side of it.
namespace headway::diagnosis {

using reference::Array;

/// What a format of sixteen bits can hold.
struct Digits {
    int fraction_bits;
    int least_exponent;  ///< of numbers whose first bit is 1
    double largest;
};
inline constexpr Digits half_digits{10, -14, 65'504};
inline constexpr Digits bfloat16_digits{7, -126, 0x1.fep127};

/// What is decided where numbers have sixteen bits. The right choices compute what the hidden tests expect.
struct Halves {
    // ---- rounding and sums -----------------------------------------------------------------------------------
    /// The number of a format that stands for x, which is finite and not 0. It must not fall where x grows.
    double (*nearest)(double x, const Digits& format);
    bool cuts_bfloat16 = false;  ///< the lower half of a float's bits is dropped
    /// The first numel() numbers of a clone are rounded, in the order in which they lie there: strides are kept.
    bool clone_is_walked = false;
    Digits half = half_digits;
    Digits bfloat16 = bfloat16_digits;

    enum class Order {
        in_turn,
        from_the_end,
        neighbours,  ///< pairs, then pairs of these, ...
        halves,      ///< the first half and the second, each alike
        once,        ///< in float, rounded at the end
        never        ///< not rounded
    };
    Order order = Order::in_turn;
    bool goes_on_from_row_to_row = false;  ///< the total of a row is where the next one begins
    bool drops_the_axis = false;           ///< (..., n) -> (...), in place of (..., 1)

    // ---- softmax ---------------------------------------------------------------------------------------------
    enum class KeptTotal { as_asked, in_half, in_float, exchanged, in_float_rounded_once, rounded_at_the_end_too };
    KeptTotal total = KeptTotal::as_asked;
    bool subtracts_max = true;
    /// Which scores the largest is looked for in.
    enum class Largest {
        of_row,
        of_row_and_zero,
        of_row_unrounded,  ///< as they came
        of_all_rows
    };
    Largest largest = Largest::of_row;
    bool rounds_scores = true, rounds_difference = true, rounds_exp = true, rounds_weights = true;
    bool by_reciprocal = false;  ///< e · r(1 / total)
    enum class EmptyRow { zeros, not_a_number, uniform };
    EmptyRow empty_row = EmptyRow::zeros;

    // ---- attention -------------------------------------------------------------------------------------------
    std::array<bool, 3> rounds_input{true, true, true};  ///< q, k, v
    enum class Scaled {
        then_rounded,
        after_rounding,
        queries_first,        ///< rounded queries, which are rounded again
        queries_as_they_came  ///< before they are rounded
    };
    bool rounds_root = false;  ///< √d
    Scaled scaled = Scaled::then_rounded;
    enum class Sums { in_float, in_half, with_products };  ///< of those in half, products are rounded, too
    Sums of_scores = Sums::in_float;
    Sums of_context = Sums::in_float;
    bool attention_total_in_half = false;
    bool rounds_context = true;

    static const Halves& right();
};

/// Below that, an ordinary comparison is not told apart from its own rounding.
inline constexpr double least_ordinary = 1e-12;

/// How far an answer may be from a number in all, with the room that comparisons leave anyway: theirs is too much for
/// numbers near 0, of which halves are 2^-24 apart.
Array within(Array numbers, double relative);

/// Each number, rounded; the same shape.
Array rounded(const Halves& choices, const Array& x, bool to_half);
/// As if the first numel() numbers from data() on of a clone were the elements: what lies further is left as it is.
Array rounded_in_a_clone(const Halves& choices, const Tensor& x, bool to_half);
/// Along the last axis, which becomes 1.
Array sum_in(const Halves& choices, const Array& x, bool in_half);
/// Along the last axis; -infinity is blocked.
Array softmax_in_half(const Halves& choices, const Array& scores, bool total_in_half);
/// q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v)
Array attention_in_half(const Choices& choices, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask);

}  // namespace headway::diagnosis
