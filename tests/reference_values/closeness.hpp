#pragma once

#include <headway/tensor.hpp>

#include <gtest/gtest.h>

namespace headway::beside_pytorch {

/// How far a number of ours may be from PyTorch's.
constexpr float tolerance = 1e-5F;

/// Equal shapes, and |ours - pytorchs| <= tolerance for every element: no NaN and no infinity passes, on either side.
/// A failure tells the worst element.
testing::AssertionResult close(const Tensor& ours, const Tensor& pytorchs);

}  // namespace headway::beside_pytorch
