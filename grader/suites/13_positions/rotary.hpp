#pragma once

#include "reference/array.hpp"

#include <array>
#include <cstddef>
#include <vector>

/// Rotary positions (exercise 13), in double precision.
/// B batch · H heads · T tokens · P tokens in the cache · d head_dim
namespace headway::diagnosis {

using reference::Array;

/// What is decided where heads are turned by positions. The right choices compute what the hidden tests expect.
struct Rotary {
    /// One of T tokens that stand behind `first` others; the text of its sequence, b, begins with padding.
    struct Token {
        const std::vector<Index>& padding;
        std::size_t b;
        Index first, t, T;
        Index padded() const { return padding[b]; }
    };
    double (*position)(const Token&);
    /// The longest padding that is not refused; null: any length.
    Index (*most_padding)(Index first, Index T) = nullptr;
    bool refuses(const std::vector<Index>& padding, Index first, Index T) const;

    /// Pair i of a head; where a whole layer is at hand, of H heads.
    struct Pair {
        Index i, d;
        double base;
        Index H;
    };
    double (*frequency)(const Pair&);  ///< what a position is multiplied by
    double frequency_is_unsure = 0;    ///< by this share of itself: a constant that people round in different ways
    bool positions_of_first_text = false;
    double turn_taken_off = 0;  ///< from angles, as often as they hold it, if it is not 0

    /// Feature j of the result is x[along]·cos + sign · x[across]·sin of one of the angles.
    struct Term {
        Index angle, along, across;
        double sign;
    };
    using Turn = Term (*)(Index j, Index d);
    static constexpr Index no_angle = -1;  ///< x[along] as it is
    Turn pairs;
    Turn halves;
    bool turns_by_the_new = false;  ///< the second feature of a pair is computed from the new first
    using Wave = double (*)(double angle);
    Wave along, across;               ///< what stands for cos and for sin
    double turn_taken_for_whole = 0;  ///< angles are turned less this, as often as they hold it, if it is not 0
    /// The row of angles (B, T) that turns token t of head h of sequence b of x, (B, H, T, d).
    struct Row {
        Index b, t;
    };
    using RowOf = Row (*)(Index b, Index h, Index t, const Shape& x);
    RowOf row;

    /// Which column of H heads of width d comes to be column j.
    using Column = Index (*)(Index j, Index H, Index d);
    Column to_halves;
    Column to_pairs;
    bool converts_rows = false;  ///< of a matrix, in place of its columns

    // ---- attention -------------------------------------------------------------------------------------------
    std::array<bool, 3> turned{true, true, false};  ///< q, k, v
    bool turns_wide_values_alone = false;           ///< v only where it is as wide as k
    bool attends_by_halves = false;
    double sense = 1;                                     ///< -1: clockwise
    double key_sense = 1;                                 ///< that of keys
    RowOf key_row = nullptr;                              ///< where keys are turned by another one
    bool counts_anew = false;                             ///< tokens are counted from 0, whatever their positions
    bool base_is_fixed = false;                           ///< at 10000, whatever is asked for
    std::array<bool, 2> base_is_fixed_for{false, false};  ///< the same for queries alone, for keys alone
    /// By what query and key are turned apart, given how far the query stands behind the key; null: by just that.
    double (*apart)(double distance) = nullptr;
    double (*frequency_in_layer)(const Pair&) = nullptr;  ///< where attention computes it otherwise

    // ---- decoding --------------------------------------------------------------------------------------------
    std::array<bool, 2> counts_cache{true, true};    ///< new queries, keys stand behind the P tokens of the cache
    std::array<bool, 2> counts_padding{true, true};  ///< and padding counts, for queries and keys
    bool padding_counts_once = false;                ///< in the first call, and not with a cache
    bool queries_at_the_end = false;                 ///< all are turned as the last of them
    bool queries_behind_the_new = false;             ///< they are counted from behind the cache that holds the new keys
    /// Whether new token t of T does not see column s of P + T.
    bool (*hidden)(Index padding, Index P, Index t, Index s, Index T);
    enum class Keys {
        turned_once,
        turned_again_and_kept,  ///< the whole cache is turned again, and kept so
        turned_again_in_use,    ///< kept as they should be
        kept_as_they_came,      ///< turned when they are used, those in the cache too
        turned_but_not_kept     ///< new ones are used turned, and kept as they came
    };
    Keys keys = Keys::turned_once;
    bool sees_cache = true;
    bool clears_padding = false;                  ///< keys of padding become zeros
    std::array<bool, 2> new_first{false, false};  ///< new keys, values are put before those in the cache

    /// The same choices, as queries or keys are turned.
    Rotary of_queries() const;
    Rotary of_keys() const;

    static const Rotary& right();
};

/// (B, T)
Array token_positions(const Rotary& rotary, const std::vector<Index>& padding, Index first, Index T);
/// (B, T) -> (B, T, d/2)     @param H  heads, if there are any to be mistaken for a part of d
Array rotation_angles(const Rotary& rotary, const Array& positions, Index d, double base, Index H = 1);
/// (B, H, T, d), (B, T, d/2) -> (B, H, T, d)
Array turned(const Rotary& rotary, const Array& x, const Array& angles, Rotary::Turn turn);
/// The same as attention does it, from positions (B, T).
Array turned_in_attention(const Rotary& rotary, const Array& x, const Array& positions, double base, Index H);

/// Where rotary.apart decides: q (B, H, T, d) -> (B, H, T, S·d), for each key once, turned by what lies between them.
Array turned_for_each_key(const Rotary& rotary, const Array& q, const Array& q_positions, const Array& k_positions,
                          double base);
/// k (B, H, S, d) -> (B, H, S, S·d): each key in its own place among zeros, so that it meets the query turned for it.
/// Longer by √S, because scores will be divided by the root of that width.
Array each_in_its_place(const Array& k);
/// (..., H·d): the last axis in another order
Array with_columns(const Array& w, Index H, Rotary::Column column);

/// (B, H, P, d) and (B, H, T, d) one behind the other; the first may be empty.
Array joined(const Array& first, const Array& last);

/// (B, 1, T, P + T), true where new token t may not see a column; without the first ones, if there are some to leave
/// out.
Mask decoding_mask(const Rotary& rotary, const std::vector<Index>& padding, Index P, Index T, Index left_out = 0);

}  // namespace headway::diagnosis
