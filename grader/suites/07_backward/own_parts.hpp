#pragma once

#include "reference/backward.hpp"
#include "student/student.hpp"
#include "suites/07_backward/inputs.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge::backward {

/// What the submission's own linear_backward gives, with room for inputs that were rounded otherwise: sums in which
/// much cancels out are as unsure as their terms. Nothing if its shapes do not fit.
std::optional<reference::LinearGradients> own_linear(Student& student, const reference::Array& x, const Tensor& weight,
                                                     const reference::Array& grad_y, const Tensor& held_weight,
                                                     const Tensor& held_bias);

/// What multi_head_attention_backward gives if it is right and the submission's own attention_backward and
/// linear_backward are what they are: x, then every parameter. Nothing if their shapes do not fit together.
/// @param arguments  x, parameters, num_heads, mask, grad_y, grads, in this order
std::optional<std::vector<std::pair<std::string, reference::Array>>> from_own_parts(Student& student,
                                                                                    const Arguments& arguments);

/// Where two entries of grads are one tensor, as for weights that are tied, both contributions are added to it: those
/// that the student's own answer has for them apart. Contributions that are wrong themselves are another test's
/// business, unless just one of them is there.
void expect_both_added_to_one(Student& student, const ModuleInputs& in);

}  // namespace headway::judge::backward
