#pragma once

#include "suites/14_block/inputs.hpp"

#include <cstdint>
#include <optional>

namespace headway::judge::block {

/// What is wide in them: each keeps far more numbers between its maps than there are in x.
inline constexpr BlockSizes wide{128, 8, 4, 64};

/// How often stack_backward calls attention.
struct Calls {
    Index forward, backward;
};

struct Measured {
    Calls calls;
    std::optional<std::uint64_t> growth;  ///< in bytes, at the peak; nothing where the kernel does not tell
};

/// Asks for the gradients of L blocks, and measures from outside, in a worker of its own: freed memory of
/// earlier calls would hide a new allocation.
Measured stack_measured(Student& student, Random& random, const BlockSizes& n, Index L);

/// What the MLP of one block of `wide` has between its maps, before the activation or behind it.
inline constexpr std::uint64_t of_one_block = sizeof(float) * wide.B * wide.T * wide.F;

}  // namespace headway::judge::block
