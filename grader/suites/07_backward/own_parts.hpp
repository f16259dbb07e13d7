#pragma once

#include "reference/backward.hpp"
#include "student/student.hpp"
#include "suites/07_backward/inputs.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge::backward {

/// What a linear_backward is handed: numbers, and the tensor that holds them, where it is not a new one.
struct HandedOn {
    const reference::Array& numbers;
    Tensor as_given = {};

    Tensor tensor() const { return as_given.defined() ? as_given : reference::to_tensor(numbers); }
};

/// What the submission's own linear_backward gives, with room for inputs that were rounded otherwise: sums in which
/// much cancels out are as unsure as their terms. Nothing if its shapes do not fit.
std::optional<reference::LinearGradients> own_linear(Student& student, const HandedOn& x, const Tensor& weight,
                                                     const HandedOn& grad_y, const Tensor& held_weight,
                                                     const Tensor& held_bias);

/// Whether the module hands x and grad_y on as it got them, which may be views, or in new tensors.
enum class PassedOn { in_new_tensors, as_given };

/// What multi_head_attention_backward gives if it is right and the submission's own attention_backward and
/// linear_backward are what they are: x, then every parameter. Nothing if their shapes do not fit together.
/// @param arguments  x, parameters, num_heads, mask, grad_y, grads, in this order
std::optional<std::vector<std::pair<std::string, reference::Array>>> from_own_parts(
    Student& student, const Arguments& arguments, PassedOn passed_on = PassedOn::in_new_tensors);

/// Where two entries of grads are one tensor, as for weights that are tied, both contributions are added to it: those
/// that the student's own answer has for them apart. Contributions that are wrong themselves are another test's
/// business, unless just one of them is there.
void expect_both_added_to_one(Student& student, const ModuleInputs& in);

}  // namespace headway::judge::backward
