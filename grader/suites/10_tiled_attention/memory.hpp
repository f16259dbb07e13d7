#pragma once

#include "suites/10_tiled_attention/inputs.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace headway::judge::tiled {

/// What a call needs beside its arguments and its result, and what all scores would take.
struct Memory {
    std::uint64_t held;   ///< before it was asked
    std::uint64_t grown;  ///< while it answered
    std::uint64_t scores;
    std::uint64_t extra() const { return held + grown; }
    /// A mask of a byte a score is a quarter of them.
    bool is_small() const { return extra() < scores / 5; }
};

/// What is said of a call that needed too much: also for how many bytes of each score, since masks take one.
/// @param call  what tells it from the calls before: "with causal = true"
std::string too_much(const Memory& memory, const Sizes& n, const std::string& call);

struct Answered {
    Tensor context;
    std::optional<Memory> memory;  ///< nothing where the kernel does not tell
};

/// Asks for tiled attention, and measures from outside, in a worker of its own: freed memory of earlier calls would
/// hide a new allocation. What the submission holds before it is asked, in static tables say, counts as what it needs.
Answered ask_measured(Student& student, Random& random, const Inputs& in, const Mask& mask, bool causal, Index tile);

}  // namespace headway::judge::tiled
