#pragma once

#include "suites/08_kv_cache/held.hpp"

#include "diagnosis/subject.hpp"

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

inline std::size_t as_size(Index index) { return static_cast<std::size_t>(index); }

}  // namespace headway::diagnosis
