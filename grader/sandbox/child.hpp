#pragma once

#include "sandbox/process.hpp"

#include <span>

/// What a child does between fork and exec: only calls that are safe after a fork of a program with threads.
namespace headway::sandbox {

/// A descriptor of ours, and the number that the child knows it by.
struct Placement {
    int descriptor;
    int number;
};

/// All that the child needs, made before the fork.
struct ChildSide {
    const Launch& launch;
    char* const* arguments;
    char* const* environment;
    std::span<Placement> placements;
    int error;  // gets errno if exec fails
};

/// Takes its limits, its control group and its descriptors, and becomes the program.
[[noreturn]] void become(const ChildSide& side);

}  // namespace headway::sandbox
