#pragma once

#include "diagnosis/attention.hpp"
#include "diagnosis/subject.hpp"
#include "student/student.hpp"

#include <optional>

/// The model of the way back: through attention, and through the module around it.
namespace headway::diagnosis {

/// The gradients of q, k and v where attention's own are at hand.
struct HeadGradients {
    Array q, k, v;
};

Array grad_of_weights(Attention& forward, const Array& grad_context, const Choices& c);
/// From the gradient of the scores.
HeadGradients gradients_from(Attention& forward, const Array& grad_scores, const Array& grad_context, const Choices& c);
HeadGradients attention_gradients(Attention& forward, const Array& grad_context, const Choices& c);

/// What a parameter's gradient holds in the end.
Array accumulated(const Array& gradient, const Tensor& held, bool added, bool in_a_copy);

Predict module_backward(const judge::Arguments& arguments);

/// What follows from the student's own attention_backward and linear_backward, if the module decides like this.
std::optional<Answer> module_from_own_parts(judge::Student& student, const judge::Arguments& arguments,
                                            const Choices& c);
/// The same where the module hands heads on as views, x and grad_y as it got them, and all else is right.
std::optional<Answer> module_from_own_parts_given_views(judge::Student& student, const judge::Arguments& arguments);

}  // namespace headway::diagnosis
