#pragma once

#include <catch_the_bug.hpp>

namespace headway::attentions {

using ex06::Attended;
using ex06::Inputs;

/// The sizes of a question, once it is known to make sense.
struct InputSizes {
    Index B, T, S, D, E, H, d;
};

/// @throws std::invalid_argument if a shape does not fit
InputSizes checked(const Inputs& in);

/// Which keys the mask and the causal option block together. Of staged.cpp, whose lines and branches are counted.
/// @return (B, H, T, S), row-major
Mask blocked(const Inputs& in, const InputSizes& n);

}  // namespace headway::attentions
