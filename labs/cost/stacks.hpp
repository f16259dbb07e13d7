#pragma once

#include <headway/layout.hpp>

#include <optional>
#include <vector>

namespace headway::lab {

struct StackSizes {
    Index B = 2, T = 256, D = 128, F = 512;
};

/// Numbers between the maps of one block that the way back needs: three tensors as wide as x, two as wide as the MLP.
Index numbers_between(const StackSizes& sizes);

/// The gradients of L blocks, in two ways: all that is between the maps kept, and only the input of each block
/// (gradient checkpointing), where the rest is computed once more.
struct StackCost {
    Index L = 0;
    double all_mib = 0, inputs_mib = 0;  ///< that were in use at the peak; 0 where that is not known
    double all_ms = 0, inputs_ms = 0;
};

struct StackCosts {
    StackSizes sizes;
    std::vector<StackCost> stacks;  ///< each four times as deep as the one before
};

/// The second way is the stack_backward of the student's exercise 14, and its norms and GELU are in both. Nothing while
/// it is not written.
/// @throws NotDone if it is written, and gives other gradients than the first way
std::optional<StackCosts> measure_stacks(const StackSizes& sizes, Index deepest, int repeats);

}  // namespace headway::lab
