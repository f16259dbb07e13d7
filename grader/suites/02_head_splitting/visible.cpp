// Exercise 02: what its visible test asks, asked of the submission. See student/visible_tests.hpp.
#include "student/visible_tests.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::ex02 {

using judge::asked_for;

Strides contiguous_strides(const Shape& shape) { return asked_for<Shape>("contiguous_strides", {{"shape", shape}}); }

Tensor view(const Tensor& x, const Shape& shape) { return asked_for<Tensor>("view", {{"x", x}, {"shape", shape}}); }

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    return asked_for<Tensor>("transpose", {{"x", x}, {"axis0", axis0}, {"axis1", axis1}});
}

Tensor contiguous(const Tensor& x) { return asked_for<Tensor>("contiguous", {{"x", x}}); }

Tensor split_heads(const Tensor& x, Index num_heads) {
    return asked_for<Tensor>("split_heads", {{"x", x}, {"num_heads", num_heads}});
}

}  // namespace headway::ex02
