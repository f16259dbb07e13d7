// What diagnosis knows of exercise 07.
//      B batch · H heads · T queries · S keys · d head_dim · d_v value width · D model width
#include "suites/07_backward/gradients.hpp"
#include "suites/07_backward/module.hpp"
#include "suites/07_backward/questions.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/subject.hpp"
#include "reference/backward.hpp"
#include "student/expect.hpp"

#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

constexpr Argument other = Argument::other;

/// Weights are a softmax's: rows sum to 1, but for those of queries that see nothing, and a right program may count on
/// it.
bool is_of_softmax(const Arguments& arguments) {
    const Array weights = reference::exact(tensor(arguments, "weights"));
    const auto S = static_cast<std::ptrdiff_t>(weights.shape.empty() ? 0 : weights.size(-1));
    if (S == 0) return true;
    for (auto row = weights.value.begin(); row != weights.value.end(); row += S) {
        const double sum = std::accumulate(row, row + S, 0.0);
        if (sum != 0 && std::abs(sum - 1) > 1e-5) return false;
    }
    return true;
}

Predict softmax_backward(const Arguments& arguments) {
    const Tensor weights = tensor(arguments, "weights"), grad = tensor(arguments, "grad_weights");
    return [weights, grad](const Choices& c) {
        return checked(weights.shape() == grad.shape(), c.checking, &Checking::gradients, [&] {
            return Answer::of(c.of<Gradients>().softmax(c.reading.tensor(weights, other),
                                                        c.reading.tensor(grad, Argument::gradient)));
        });
    };
}

Predict attention_backward(const Arguments& arguments) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    const Tensor grad = tensor(arguments, "grad_context");
    const Shape q = given.input[0].shape(), v = given.input[2].shape();
    if (q.size() != 4 || v.size() != 4) return nullptr;
    const bool fits = grad.shape() == Shape{q[0], q[1], q[2], v[3]};
    const bool as_wide = v[3] == q[3];
    auto unmasked = std::make_shared<Attention>(given);
    given.mask = mask(arguments, "mask");
    auto masked = std::make_shared<Attention>(std::move(given));
    return [=](const Choices& c) {
        if (c.of<Gradients>().values_as_wide_as_keys && !as_wide) return Answer::without_value(Answer::Kind::refused);
        return checked(fits, c.checking, &Checking::gradients, [&] {
            Attention& forward = c.of<Gradients>().mask_goes_back ? *masked : *unmasked;
            HeadGradients all = attention_gradients(forward, c.reading.tensor(grad, Argument::gradient), c);
            return Answer{.parts = {{"q", std::move(all.q)}, {"k", std::move(all.k)}, {"v", std::move(all.v)}}};
        });
    };
}

Predict linear_backward(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x"), weight = tensor(arguments, "weight"), grad_y = tensor(arguments, "grad_y");
    const Tensor held_weight = tensor(arguments, "grad_weight"), held_bias = tensor(arguments, "grad_bias");
    const bool wide = x.size(-1) == weight.size(1);
    const bool long_enough = grad_y.size(0) == x.size(0) && grad_y.size(1) == x.size(1);
    return [=](const Choices& c) {
        return checked(wide, c.checking, &Checking::weights, [&] {
            return checked(long_enough, c.checking, &Checking::gradients, [&] {
                const Array rows = c.reading.tensor(x, other), grads = c.reading.tensor(grad_y, Argument::gradient);
                const Gradients& g = c.of<Gradients>();
                return Answer{
                    .parts = {{"x", g.input(grads, c.reading.tensor(weight, other))},
                              {"weight",
                               accumulated(g.weight(rows, grads), held_weight, g.weight_is_added, g.weight_in_a_copy)},
                              {"bias", accumulated(g.bias(grads), held_bias, g.bias_is_added, g.bias_in_a_copy)}}};
            });
        });
    };
}

/// What follows from the student's own softmax_backward, if the rest is decided like this.
std::optional<Answer> from_own_softmax(judge::Student& student, const Arguments& arguments, const Choices& c) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    if (c.of<Gradients>().mask_goes_back) given.mask = mask(arguments, "mask");
    Attention forward(std::move(given));
    const Array grad = reference::exact(tensor(arguments, "grad_context"));
    const Array weights = forward.weights(c), grad_weights = grad_of_weights(forward, grad, c);
    const auto outcome = student.outcome("softmax_backward", {{"weights", reference::to_tensor(weights)},
                                                              {"grad_weights", reference::to_tensor(grad_weights)}});
    const auto* scores = std::get_if<Tensor>(&outcome.value);
    if (scores == nullptr) return answer_of(outcome);
    if (scores->shape() != weights.shape) return std::nullopt;
    // Attention hands it weights that are rounded otherwise, by more the larger its scores are.
    Array grad_scores = judge::own(*scores);
    const Array due = reference::softmax_backward(weights, grad_weights);
    for (std::size_t i = 0; i < due.error.size(); ++i) grad_scores.error[i] += due.error[i];
    HeadGradients all = gradients_from(forward, grad_scores, grad, c);
    return Answer{.parts = {{"q", std::move(all.q)}, {"k", std::move(all.k)}, {"v", std::move(all.v)}}};
}

const SubjectRegistration registration(
    "07_backward", {{{.name = "softmax_backward",
                      .model = &softmax_backward,
                      .is_promised = &is_of_softmax,
                      .questions = &ask_softmax_backward,
                      .stage = Stage::softmax},
                     {.name = "attention_backward",
                      .model = &attention_backward,
                      .questions = &ask_attention_backward,
                      .given_own = &rightly<&from_own_softmax>,
                      .given_own_and = &from_own_softmax,
                      .stage = Stage::scores,
                      .stage_of_part = {{"q", Stage::scores}, {"k", Stage::scores}, {"v", Stage::weigh}}},
                     {.name = "linear_backward",
                      .model = &linear_backward,
                      .questions = &ask_linear_backward,
                      .stage = Stage::project},
                     {.name = "multi_head_attention_backward",
                      .model = &module_backward,
                      .questions = &ask_module_backward,
                      .given_own = &module_from_own_parts_given_views,
                      .given_own_and = &module_from_own_parts,
                      .stage = Stage::output,
                      .stage_of_part = {{"x", Stage::project},
                                        {"q_weight", Stage::project},
                                        {"q_bias", Stage::project},
                                        {"k_weight", Stage::project},
                                        {"k_bias", Stage::project},
                                        {"v_weight", Stage::project},
                                        {"v_bias", Stage::project},
                                        {"out_weight", Stage::output},
                                        {"out_bias", Stage::output}}}}});

}  // namespace
}  // namespace headway::diagnosis
