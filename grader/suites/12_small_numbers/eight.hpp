#pragma once

#include "reference/array.hpp"

#include <headway/layout.hpp>

#include <string>

/// Whole numbers with scales, and a cache of them (exercise 12), in double precision.
/// B batch · H heads · P tokens · n new tokens
namespace headway::diagnosis {

using reference::Array;

/// What Int8Rows hold: codes in the shape that they fill, (B, H, P, width); scales (B, H, P). Empty: nothing yet.
struct CodedRows {
    Array codes, scales;
    bool is_empty() const { return codes.shape.empty(); }
};

/// What is decided where numbers have eight bits. The right choices compute what the hidden tests expect.
struct Eights {
    // ---- scales and codes ------------------------------------------------------------------------------------
    Array (*scales)(const Array& x);  ///< (B, H, P, width) -> (B, H, P)
    /// The first numel() numbers of a clone of x become their sizes, in the order in which they lie there.
    bool clone_is_walked = false;
    double (*code)(double quotient);  ///< the whole number for it
    double (*end)(double code);       ///< what is done with one past the range
    double (*where_zero)(double x);   ///< the code where the scale is 0
    /// Whose scale a row takes, of all rows of (B, H, P).
    using ScaleOf = Index (*)(Index row, Index P, Index H);
    ScaleOf scale_of;
    bool keeps_what_it_takes = false;  ///< to_int8 gives back the scales that rows took, not those that it was given
    double (*number)(double code, double scale);
    bool codes_width_first = false;  ///< from_int8 reads codes as (B, H, width, P)

    // ---- the cache -------------------------------------------------------------------------------------------
    enum class Old { kept, coded_again };
    Old old = Old::kept;  ///< again: from its numbers, with scales of its own
    enum class New { by_own_scales, by_one_scale, by_last_scale };
    New fresh = New::by_own_scales;
    bool values_by_keys_scales = false;
    enum class Joined {
        by_heads,
        all_old_first,
        all_old_codes_first,   ///< scales are where they should be
        all_old_scales_first,  ///< codes are where they should be
        in_texts,              ///< in each text, new rows are put behind the old ones of all its heads
        codes_in_texts,        ///< the same; scales are where they should be
        new_first,
        new_scales_first,
        new_alone
    };
    Joined joined = Joined::by_heads;

    // ---- attention to it -------------------------------------------------------------------------------------
    bool scales_keys = true, scales_values = true;
    ScaleOf scale_of_keys = nullptr;
    ScaleOf scale_of_values = nullptr;
    bool keys_by_scales_of_values = false, values_by_scales_of_keys = false;
    bool codes_queries = false;
    bool attends_in_half = false;

    // ---- bytes -----------------------------------------------------------------------------------------------
    struct Sizes {
        Index B, H, S, d, d_v;
    };
    double (*bytes)(const Sizes& sizes, const std::string& kept);

    static const Eights& right();
};

/// (B, H, P, width), (B, H, P) -> codes
CodedRows to_int8(const Eights& choices, const Array& x, const Array& scales);
Array from_int8(const Eights& choices, const CodedRows& rows);
struct CodedCache {
    CodedRows k, v;
};
/// Old rows, which may be none, and new ones behind them in every head.
CodedRows behind(const CodedRows& old, const CodedRows& fresh);
CodedCache append(const Eights& choices, const CodedCache& cache, const Array& k, const Array& v);

/// Scales as if the first numel() numbers from data() on were all elements: of a clone with gaps, some of the elements
/// keep their sign.
Array scales_of_a_clone(const Tensor& x);
/// The largest |x| of all numbers that `same` puts together with row (b, h, p), over 127.
Array scales_over(const Array& x, bool over_batch, bool over_heads, bool over_tokens);

}  // namespace headway::diagnosis
