#pragma once

#include "inputs.hpp"

#include <cstdint>
#include <optional>

namespace headway::judge::tiled {

/// What a call needs beside its arguments and its result, and what all scores would take.
struct Memory {
    std::uint64_t extra, scores;
    /// A mask of a byte a score is a quarter of them.
    bool is_small() const { return extra < scores / 5; }
};

/// Measured from outside, in a worker of its own: freed memory of earlier calls would hide a new allocation.
/// @return nothing where the kernel does not tell
std::optional<Memory> memory_of(Student& student, Random& random, const Sizes& n, bool causal);

}  // namespace headway::judge::tiled
