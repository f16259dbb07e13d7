// What diagnosis knows of exercise 07.
//      B batch · H heads · T queries · S keys · d head_dim · d_v value width · D model width
#include "suites/07_backward/gradients.hpp"
#include "suites/07_backward/inputs.hpp"
#include "suites/07_backward/own_parts.hpp"
#include "suites/07_backward/questions.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/subject.hpp"
#include "student/expect.hpp"

#include <memory>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

constexpr Argument other = Argument::other;

Predict softmax_backward(const Arguments& arguments) {
    const Tensor weights = tensor(arguments, "weights"), grad = tensor(arguments, "grad_weights");
    return [weights, grad](const Choices& c) {
        return checked(weights.shape() == grad.shape(), c.checking, &Checking::lengths, [&] {
            return Answer::of(c.of<Gradients>().softmax(c.reading.tensor(weights, other),
                                                        c.reading.tensor(grad, Argument::gradient)));
        });
    };
}

/// The gradients of q, k and v where attention's own are at hand.
struct HeadGradients {
    Array q, k, v;
};

HeadGradients attention_gradients(Attention& forward, const Array& grad_context, const Choices& c) {
    const Array weights = forward.weights(c);
    const Array& q = forward.heads(0, c);
    const Array& k = forward.heads(1, c);
    const Array& v = forward.heads(2, c);
    const Array grad_weights = reference::matmul(grad_context, reference::transpose(v, -2, -1));
    const Array grad_scores = c.of<Gradients>().softmax(weights, grad_weights);
    const Index d = q.size(-1), d_v = v.size(-1);
    const Gradients& g = c.of<Gradients>();
    return {g.queries(reference::scale(grad_scores, g.factor_of_queries(d, d_v)), q, k),
            g.keys(reference::scale(grad_scores, g.factor_of_keys(d, d_v)), q, k),
            reference::scale(g.values(weights, grad_context), g.factor_of_values(d, d_v))};
}

Predict attention_backward(const Arguments& arguments) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    const Tensor grad = tensor(arguments, "grad_context");
    const Shape q = given.input[0].shape(), v = given.input[2].shape();
    if (q.size() != 4 || v.size() != 4) return nullptr;
    const bool fits = grad.shape() == Shape{q[0], q[1], q[2], v[3]};
    auto unmasked = std::make_shared<Attention>(given);
    given.mask = mask(arguments, "mask");
    auto masked = std::make_shared<Attention>(std::move(given));
    return [=](const Choices& c) {
        return checked(fits, c.checking, &Checking::lengths, [&] {
            Attention& forward = c.of<Gradients>().mask_goes_back ? *masked : *unmasked;
            HeadGradients all = attention_gradients(forward, c.reading.tensor(grad, Argument::gradient), c);
            return Answer{.parts = {{"q", std::move(all.q)}, {"k", std::move(all.k)}, {"v", std::move(all.v)}}};
        });
    };
}

/// What a parameter's gradient holds in the end.
Array accumulated(const Array& gradient, const Tensor& held, bool added) {
    return added ? reference::add(gradient, reference::exact(held)) : gradient;
}

Predict linear_backward(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x"), weight = tensor(arguments, "weight"), grad_y = tensor(arguments, "grad_y");
    const Tensor held_weight = tensor(arguments, "grad_weight"), held_bias = tensor(arguments, "grad_bias");
    const bool wide = x.size(-1) == weight.size(1);
    const bool long_enough = grad_y.size(0) == x.size(0) && grad_y.size(1) == x.size(1);
    return [=](const Choices& c) {
        return checked(wide, c.checking, &Checking::weights, [&] {
            return checked(long_enough, c.checking, &Checking::lengths, [&] {
                const Array rows = c.reading.tensor(x, other), grads = c.reading.tensor(grad_y, Argument::gradient);
                const Gradients& g = c.of<Gradients>();
                return Answer{.parts = {{"x", g.input(grads, c.reading.tensor(weight, other))},
                                        {"weight", accumulated(g.weight(rows, grads), held_weight, g.weight_is_added)},
                                        {"bias", accumulated(g.bias(grads), held_bias, g.bias_is_added)}}};
            });
        });
    };
}

/// The module, forwards and backwards.
class Module {
public:
    explicit Module(const Arguments& arguments)
        : x_(reference::exact(tensor(arguments, "x"))),
          grad_y_(tensor(arguments, "grad_y")),
          parameters_(std::get<wire::Record>(argument(arguments, "parameters"))),
          grads_(std::get<wire::Record>(argument(arguments, "grads"))),
          H_(integer(arguments, "num_heads")) {
        Given given;
        const Tensor x = tensor(arguments, "x");
        given.input = {x, x, x};
        for (std::size_t role = 0; role < 3; ++role) {
            given.weight[role] = field(parameters_, judge::backward::maps[role] + "_weight").transpose(0, 1);
            given.bias[role] = field(parameters_, judge::backward::maps[role] + "_bias");
        }
        given.H = H_;
        given.D = x.size(2);
        unmasked_ = std::make_unique<Attention>(given);
        given.mask = mask(arguments, "mask");
        forward_ = std::make_unique<Attention>(std::move(given));
    }

    Answer answer(const Choices& c) {
        const Gradients& g = c.of<Gradients>();
        const Array merged = c.merging.merge(forward_->context_and_weights(c).context);
        const Array grad_y = c.reading.tensor(grad_y_, Argument::gradient);
        const Array grad_merged = (g.output == nullptr ? g.input : g.output)(grad_y, weight("out"));
        const Array grad_context = g.split(grad_merged, H_);
        Attention& back = g.mask_goes_back ? *forward_ : *unmasked_;
        const HeadGradients heads = attention_gradients(back, grad_context, c);
        Answer answer{.parts = {{"x", {}}}};
        Array grad_x;
        const std::array<const Array*, 3> of_role{&heads.q, &heads.k, &heads.v};
        for (std::size_t role = 0; role < 3; ++role) {
            const std::string& map = judge::backward::maps[role];
            const Array grad = g.merge[role](*of_role[role]);
            add_parameters(answer, map, x_, grad, g);
            if (!g.reaches_input[role]) continue;
            const Array path = g.input(grad, weight(map));
            grad_x = grad_x.shape.empty() ? path : reference::add(grad_x, path);
        }
        add_parameters(answer, "out", g.output_sees_merged ? merged : x_, grad_y, g);
        answer.parts.front().second = std::move(grad_x);
        return answer;
    }

private:
    static const Tensor& field(const wire::Record& record, const std::string& name) {
        return judge::backward::field(record, name);
    }
    Array weight(const std::string& map) const { return reference::exact(field(parameters_, map + "_weight")); }

    void add_parameters(Answer& answer, const std::string& map, const Array& input, const Array& grad,
                        const Gradients& g) const {
        const auto add = [&](const std::string& name, const Array& gradient, bool added) {
            answer.parts.emplace_back(name, accumulated(gradient, field(grads_, name), added));
        };
        add(map + "_weight", g.weight(input, grad), g.weight_is_added);
        add(map + "_bias", g.bias(grad), g.bias_is_added);
    }

    Array x_;
    Tensor grad_y_;
    wire::Record parameters_, grads_;
    Index H_;
    std::unique_ptr<Attention> forward_, unmasked_;
};

Predict module_backward(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads");
    if (x.rank() != 3) return [](const Choices& c) { return refusal(c.checking, &Checking::ranks); };
    if (H < 1 || x.size(2) % H != 0) return [](const Choices& c) { return refusal(c.checking, &Checking::divisible); };
    auto module = std::make_shared<Module>(arguments);
    return [module](const Choices& c) { return module->answer(c); };
}

/// What follows from the student's own softmax_backward.
std::optional<Answer> from_own_softmax(judge::Student& student, const Arguments& arguments) {
    const auto number = [&](const char* name) { return reference::exact(tensor(arguments, name)); };
    const Array q = number("q"), k = number("k"), grad = number("grad_context");
    const Array weights = reference::masked_softmax(reference::scores(q, k), mask(arguments, "mask"));
    const Array grad_weights = reference::matmul(grad, reference::transpose(number("v"), -2, -1));
    const auto outcome = student.outcome("softmax_backward", {{"weights", reference::to_tensor(weights)},
                                                              {"grad_weights", reference::to_tensor(grad_weights)}});
    const auto* scores = std::get_if<Tensor>(&outcome.value);
    if (scores == nullptr) return answer_of(outcome);
    if (scores->shape() != weights.shape) return std::nullopt;
    const auto all = reference::attention_backward(q, k, weights, judge::own(*scores), grad);
    return Answer{.parts = {{"q", all.q}, {"k", all.k}, {"v", all.v}}};
}

std::optional<Answer> from_own_parts(judge::Student& student, const Arguments& arguments) {
    auto parts = judge::backward::from_own_parts(student, arguments);
    return parts ? std::optional(Answer{.parts = std::move(*parts)}) : std::nullopt;
}

const SubjectRegistration registration(
    "07_backward",
    {{{.name = "softmax_backward", .model = &softmax_backward, .questions = &ask_softmax_backward, .stage = "softmax"},
      {.name = "attention_backward",
       .model = &attention_backward,
       .questions = &ask_attention_backward,
       .given_own = &from_own_softmax,
       .stage = "scores",
       .stage_of_part = {{"q", "scores"}, {"k", "scores"}, {"v", "weigh"}}},
      {.name = "linear_backward", .model = &linear_backward, .questions = &ask_linear_backward, .stage = "project"},
      {.name = "multi_head_attention_backward",
       .model = &module_backward,
       .questions = &ask_module_backward,
       .given_own = &from_own_parts,
       .stage = "output",
       .stage_of_part = {{"x", "project"},
                         {"q_weight", "project"},
                         {"q_bias", "project"},
                         {"k_weight", "project"},
                         {"k_bias", "project"},
                         {"v_weight", "project"},
                         {"v_bias", "project"},
                         {"out_weight", "output"},
                         {"out_bias", "output"}}}}});

}  // namespace
}  // namespace headway::diagnosis
