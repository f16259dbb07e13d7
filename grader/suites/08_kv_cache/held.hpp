#pragma once

#include "suites/08_kv_cache/caching.hpp"

#include "diagnosis/answer.hpp"

namespace headway::diagnosis {

/// A cache in double precision, as somebody keeps it.
struct Held {
    Array k, v;  ///< (B, H, C, d)
    Shape lengths;
    bool refused = false;          ///< there was no room for what was appended last
    bool another_storage = false;  ///< what was appended last does not show in views that were taken before

    /// Writes new keys and values (B, H, n, d) as `choices` decide.
    /// @throws Unpredictable where students do one thing or another
    void append(const Array& new_k, const Array& new_v, const Shape& counts, const Caching& choices);

    /// All of it; a refusal is a fact beside it, since it should leave the cache as it was.
    Answer answer() const;
};

/// Whether position s is hidden from new token t of sequence b, which had `before` tokens and has `after`.
bool is_hidden(const Caching& choices, const Shape& before, const Shape& after, std::size_t b, Index t, Index s,
               Index n, Index S);

/// Keys or values of a cache (B, H, C, d), of which `used` positions are filled, as decode finds them.
Array found(const Array& held, Index used, const Caching& choices);

/// A context (B, H, n, d) of ones for these of its B·n tokens, of zeros for others.
Array marked(const std::vector<bool>& tokens, const Shape& context);
/// Of y (B, n, D), each token that took something from what is marked, when heads were merged: it may be anything.
void leave_open(Array& y, const Array& marks);

Array lengths_array(const Shape& lengths);

/// The rows (B, n, ...) of real tokens, and 0: rows t >= counts[b] belong to padding, and may hold anything.
Array real_rows(Array rows, const Shape& counts);
/// With 0 for the sequences after the first that gets no token.
Array up_to_a_count_of_zero(Array rows, const Shape& counts);

}  // namespace headway::diagnosis
