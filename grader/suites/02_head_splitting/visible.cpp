// Exercise 02: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::ex02 {

using judge::asked_for;
using judge::in_passing;

namespace {

/// What a function makes of x, which stays in the worker meanwhile: a view of it there is one of x here, too.
Tensor made_of(const Tensor& x, const std::string& function, const judge::Arguments& others) {
    const auto there = in_passing<wire::Handle>("keep", {{"x", x}});
    judge::Arguments arguments{{"x", there}};
    arguments.insert(arguments.end(), others.begin(), others.end());
    const auto answer = asked_for<wire::Handle>(function, arguments);
    const auto made = in_passing<Tensor>("read", {{"x", answer}});
    return in_passing<bool>("share_storage", {{"a", there}, {"b", answer}})
               ? x.as_strided(made.shape(), made.strides(), made.layout().offset)
               : made;
}

}  // namespace

Strides contiguous_strides(const Shape& shape) { return asked_for<Shape>("contiguous_strides", {{"shape", shape}}); }

Tensor view(const Tensor& x, const Shape& shape) { return made_of(x, "view", {{"shape", shape}}); }

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    return made_of(x, "transpose", {{"axis0", axis0}, {"axis1", axis1}});
}

Tensor contiguous(const Tensor& x) { return made_of(x, "contiguous", {}); }

Tensor split_heads(const Tensor& x, Index num_heads) { return made_of(x, "split_heads", {{"num_heads", num_heads}}); }

}  // namespace headway::ex02
