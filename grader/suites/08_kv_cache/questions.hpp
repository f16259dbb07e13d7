#pragma once

#include "suites/08_kv_cache/held.hpp"

#include "diagnosis/subject.hpp"

#include <algorithm>

namespace headway::diagnosis {

// The functions of exercise 08, as diagnosis knows them.
Function function_append();
Function function_make_cache();
Function function_decode();

/// What holds of decode, whatever the numbers are.
std::vector<Invariant> invariants_of_decode();

/// The cache that a question describes: "cache.k", "cache.v" and "lengths".
Held held_by(const judge::Arguments& arguments);
/// That cache, made in the worker.
wire::Handle cache_in(judge::Student& student, const judge::Arguments& arguments);
/// Counts in [0, n] that differ; the largest is n.
Shape different_counts(Index B, Index n);

/// Whether it was refused with std::invalid_argument.
inline bool is_refusal(const judge::Outcome& outcome) {
    return outcome.error && outcome.error->kind == wire::ErrorKind::invalid_argument;
}

/// Of tokens that there is room for, an answer is due: what is thrown once the cache has grown is no refusal.
inline bool is_too_late(const Shape& lengths, const Shape& grown, const Shape& counts, Index n, Index capacity) {
    bool have_room = grown != lengths;
    for (std::size_t b = 0; b < std::min(counts.size(), lengths.size()); ++b)
        have_room = have_room && counts[b] >= 0 && counts[b] <= n && lengths[b] + counts[b] <= capacity;
    return have_room;
}

inline std::size_t as_size(Index index) { return static_cast<std::size_t>(index); }

}  // namespace headway::diagnosis
