#pragma once

#include "wire/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace headway::worker {

/// Addresses within the calls that have led somewhere, as the program's own file counts them, the innermost first.
/// Calls in shared libraries are left out.
struct OwnCalls {
    std::size_t count = 0;
    std::array<std::int64_t, wire::most_frames> addresses{};
};

/// Finds out where the program's code is, so that what follows need not. To be called first.
void prepare_own_calls();

/// What is further inside than the call that returns to `address` is our own note-taking, and left out.
void walk_from(std::uintptr_t address, OwnCalls& calls);

/// For a signal handler: from the instruction that the signal interrupted. Asks for no memory.
void walk_from_interruption(OwnCalls& calls);

}  // namespace headway::worker
