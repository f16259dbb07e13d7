// The way back through the module, as the model or as the student's own functions go it.
//      B batch · H heads · T queries · S keys · d head_dim · d_v value width · D model width
#include "suites/07_backward/module.hpp"

#include "suites/07_backward/gradients.hpp"
#include "suites/07_backward/inputs.hpp"
#include "suites/07_backward/own_parts.hpp"
#include "suites/07_backward/softmax_means.hpp"

#include "diagnosis/elements.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace headway::diagnosis {

using judge::Arguments;

namespace {

/// Those of the way forward. Exponentials of scores that are not shifted, or by a largest score sought from 0 on,
/// vanish in float below -104.
Array weights_of(Attention& forward, const Choices& c) {
    Array weights = forward.weights(c);
    if (!c.of<Gradients>().low_rows_are_empty) return weights;
    constexpr double vanishing = -104;
    const Array& scores = forward.scores(c);
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        double largest = -anything;
        for (std::size_t i = row; i < row + S; ++i)
            if (weights.value[i] != 0) largest = std::max(largest, scores.value[i]);
        if (largest < vanishing)
            for (std::size_t i = row; i < row + S; ++i) weights.value[i] = weights.error[i] = 0;
    }
    return weights;
}

}  // namespace

Array grad_of_weights(Attention& forward, const Array& grad_context, const Choices& c) {
    return reference::matmul(grad_context, reference::transpose(forward.heads(2, c), -2, -1));
}

HeadGradients gradients_from(Attention& forward, const Array& grad_scores, const Array& grad_context,
                             const Choices& c) {
    const Gradients& g = c.of<Gradients>();
    const Array carried =
        g.values_get_grad_weights ? grad_of_weights(forward, grad_context, c) : weights_of(forward, c);
    const Array& q = forward.heads(0, c);
    const Array& k = forward.heads(1, c);
    const Index d = q.size(-1), d_v = forward.heads(2, c).size(-1);
    return {g.queries(reference::scale(grad_scores, g.factor_of_queries(d, d_v)), q, k),
            g.keys(reference::scale(grad_scores, g.factor_of_keys(d, d_v)), q, k),
            reference::scale(g.values(carried, grad_context), g.factor_of_values(d, d_v))};
}

HeadGradients attention_gradients(Attention& forward, const Array& grad_context, const Choices& c) {
    const Array weights = weights_of(forward, c);
    const Array grad_weights = grad_of_weights(forward, grad_context, c);
    const Gradients& g = c.of<Gradients>();
    const double root = std::sqrt(static_cast<double>(forward.heads(0, c).size(-1)));
    const auto d_v = static_cast<double>(forward.heads(2, c).size(-1));
    Array grad_scores = g.mean_is_unscaled        ? with_mean_times(root, weights, grad_weights)
                        : g.mean_over_value_width ? with_mean_times(1 / d_v, weights, grad_weights)
                                                  : g.softmax(weights, grad_weights);
    // Some skip blocked scores on the way back, others trust their weights of 0.
    for (std::size_t i = 0; i < grad_scores.value.size(); ++i)
        if (weights.value[i] == 0 && grad_scores.value[i] != 0) grad_scores.error[i] = anything;
    return gradients_from(forward, grad_scores, grad_context, c);
}

Array accumulated(const Array& gradient, const Tensor& held, bool added, bool in_a_copy) {
    // What nobody can add to comes as a row-major copy.
    if (in_a_copy && !held.is_contiguous() && !held.layout().may_overlap()) return reference::exact(held);
    return added ? reference::add(gradient, reference::exact(held)) : gradient;
}

namespace {

/// The maps and the attention that the module goes back through.
class Parts {
public:
    struct Linear {
        Array x, weight, bias;  ///< with what the parameters' gradients held before
    };
    struct Given {
        Tensor weight, held_weight, held_bias;
    };
    virtual ~Parts() = default;
    virtual Linear linear(const Array& x, const Given& given, const Array& grad_y, bool is_output) = 0;
    virtual HeadGradients attention(Attention& forward, const Array& grad_context) = 0;
};

/// As the model computes them.
class ModelParts : public Parts {
public:
    ModelParts(const Choices& c, Attention& unmasked) : c_(c), g_(c.of<Gradients>()), unmasked_(unmasked) {}

    Linear linear(const Array& x, const Given& given, const Array& grad_y, bool is_output) override {
        const auto back = is_output && g_.output != nullptr ? g_.output : g_.input;
        return {back(grad_y, reference::exact(given.weight)),
                accumulated(g_.weight(x, grad_y), given.held_weight, g_.weight_is_added, g_.weight_in_a_copy),
                accumulated(g_.bias(grad_y), given.held_bias, g_.bias_is_added, g_.bias_in_a_copy)};
    }
    HeadGradients attention(Attention& forward, const Array& grad_context) override {
        return attention_gradients(g_.mask_goes_back ? forward : unmasked_, grad_context, c_);
    }

private:
    const Choices& c_;
    const Gradients& g_;
    Attention& unmasked_;
};

/// As the student's own functions answer.
class OwnParts : public Parts {
public:
    /// The module's x and grad_y, which it hands on as it got them.
    struct Inputs {
        Tensor x, grad_y;
    };
    /// @param as_views  hands heads on as split_heads leaves them, views of (B, T, H, d), and the inputs as they came
    OwnParts(judge::Student& student, Mask mask, const Choices& c, Inputs inputs, bool as_views)
        : student_(student), mask_(std::move(mask)), c_(c), inputs_(std::move(inputs)), as_views_(as_views) {}

    Linear linear(const Array& x, const Given& given, const Array& grad_y, bool is_output) override {
        using judge::backward::HandedOn;
        const HandedOn of_x{x, as_views_ && !is_output ? inputs_.x : Tensor{}};
        const HandedOn of_y{grad_y, as_views_ && is_output ? inputs_.grad_y : Tensor{}};
        auto own = judge::backward::own_linear(student_, of_x, given.weight, of_y, given.held_weight, given.held_bias);
        if (!own) throw std::invalid_argument("nothing can be made of linear_backward");
        return {std::move(own->x), std::move(own->weight), std::move(own->bias)};
    }
    HeadGradients attention(Attention& forward, const Array& grad_context) override {
        const Array &q = forward.heads(0, c_), &k = forward.heads(1, c_), &v = forward.heads(2, c_);
        const auto record = student_.record("attention_backward", {{"q", handed_on(q)},
                                                                   {"k", handed_on(k)},
                                                                   {"v", handed_on(v)},
                                                                   {"mask", mask_},
                                                                   {"grad_context", handed_on(grad_context)}});
        return {own(record, "q", q.shape), own(record, "k", k.shape), own(record, "v", v.shape)};
    }

private:
    static Array own(const wire::Record& record, const std::string& name, const Shape& due) {
        Array array = judge::own(judge::backward::field(record, name));
        if (array.shape != due) throw std::invalid_argument("nothing can be made of " + name);
        return array;
    }

    Tensor handed_on(const Array& heads) const {
        if (!as_views_) return reference::to_tensor(heads);
        return reference::to_tensor(reference::transpose(heads, 1, 2)).transpose(1, 2);
    }

    judge::Student& student_;
    Mask mask_;
    const Choices& c_;
    Inputs inputs_;
    bool as_views_;
};

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
        Decided decided{c.reading,    c.projecting, c.splitting, c.scoring,        c.masking,
                        c.softmaxing, c.weighing,   c.merging,   c.of<Gradients>()};
        decided.gradients.weight_into = decided.gradients.bias_into = Gradients::right().weight_into;
        auto found = std::ranges::find(known_, decided, &Known::decided);
        if (found == known_.end()) {
            ModelParts parts(c, *unmasked_);
            if (known_.size() == most_known) known_.pop_front();
            known_.push_back({std::move(decided), gradients(c, parts)});
            found = known_.end() - 1;
        }
        return placed(found->all, c.of<Gradients>());
    }

    /// What it gives if it goes back through these parts, and decides the rest like this.
    Answer answer(const Choices& c, Parts& parts) { return placed(gradients(c, parts), c.of<Gradients>()); }

private:
    struct All {
        Array x;
        std::array<Parts::Linear, 3> maps;  ///< of q, k and v
        Parts::Linear output;
    };

    /// All that the gradients depend on, but for the place where they are added.
    struct Decided {
        Reading reading;
        Projecting projecting;
        Splitting splitting;
        Scoring scoring;
        Masking masking;
        Softmaxing softmaxing;
        Weighing weighing;
        Merging merging;
        Gradients gradients;
        bool operator==(const Decided&) const = default;
    };
    struct Known {
        Decided decided;
        All all;
    };

    All gradients(const Choices& c, Parts& parts) {
        const Gradients& g = c.of<Gradients>();
        Attention& once_more = g.output_is_masked ? *forward_ : *unmasked_;
        const Array merged = c.merging.merge(once_more.context_and_weights(c).context);
        const Array grad_y = c.reading.tensor(grad_y_, Argument::gradient);
        All all;
        all.output = parts.linear(g.output_sees_merged ? merged : x_, given("out", "out"), grad_y, true);
        const HeadGradients heads = parts.attention(*forward_, g.split(all.output.x, H_));
        const std::array<const Array*, 3> of_role{&heads.q, &heads.k, &heads.v};
        for (std::size_t role = 0; role < 3; ++role) {
            const std::string& map = judge::backward::maps[role];
            const int path = g.path[role];
            const Parts::Given through =
                given(judge::backward::maps[path < 0 ? role : static_cast<std::size_t>(path)], map);
            if (!g.goes_back[role]) {
                all.maps[role] = {{}, reference::exact(through.held_weight), reference::exact(through.held_bias)};
                continue;
            }
            all.maps[role] = parts.linear(x_, through, g.merge[role](*of_role[g.made_of[role]]), false);
            const Array& x = all.maps[role].x;
            if (path >= 0) all.x = all.x.shape.empty() ? x : reference::add(all.x, x);
        }
        return all;
    }

    /// Each where it is added.
    Answer placed(const All& all, const Gradients& g) const {
        std::array<Parts::Linear, 3> maps = all.maps;
        put_elsewhere(maps, g.weight_into, &Parts::Linear::weight, "_weight");
        put_elsewhere(maps, g.bias_into, &Parts::Linear::bias, "_bias");
        Answer answer{.parts = {{"x", all.x}}};
        for (std::size_t role = 0; role < 3; ++role) add(answer, judge::backward::maps[role], maps[role]);
        add(answer, "out", all.output);
        return answer;
    }

    static const Tensor& field(const wire::Record& record, const std::string& name) {
        return judge::backward::field(record, name);
    }

    /// The weight of one map, and what the gradients of another hold: of the same, if all is right.
    Parts::Given given(const std::string& map, const std::string& grads_of) const {
        return {field(parameters_, map + "_weight"), field(grads_, grads_of + "_weight"),
                field(grads_, grads_of + "_bias")};
    }

    /// What one map's gradient grew by is added to another's.
    void put_elsewhere(std::array<Parts::Linear, 3>& maps, const std::array<std::size_t, 3>& into,
                       Array Parts::Linear::*part, const std::string& name) const {
        for (std::size_t role = 0; role < 3; ++role) {
            if (into[role] == role) continue;
            const Array held = reference::exact(field(grads_, judge::backward::maps[role] + name));
            Array& elsewhere = maps[into[role]].*part;
            elsewhere = reference::add(elsewhere, reference::add(maps[role].*part, reference::scale(held, -1)));
            maps[role].*part = held;
        }
    }

    static void add(Answer& answer, const std::string& map, const Parts::Linear& gradients) {
        answer.parts.emplace_back(map + "_weight", gradients.weight);
        answer.parts.emplace_back(map + "_bias", gradients.bias);
    }

    Array x_;
    Tensor grad_y_;
    wire::Record parameters_, grads_;
    Index H_;
    std::unique_ptr<Attention> forward_, unmasked_;
    static constexpr std::size_t most_known = 256;
    std::deque<Known> known_;  ///< of late: a search makes mistakes of place beside all others, in turn
};

}  // namespace

Predict module_backward(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads");
    if (x.rank() != 3) return [](const Choices& c) { return refusal(c.checking, &Checking::ranks); };
    if (H < 1)
        return
            [H](const Choices& c) { return refusal(c.checking, H < 0 ? &Checking::negative_heads : &Checking::heads); };
    if (x.size(2) % H != 0) return [](const Choices& c) { return refusal(c.checking, &Checking::divisible); };
    auto module = std::make_shared<Module>(arguments);
    return [module](const Choices& c) { return module->answer(c); };
}

namespace {

std::optional<Answer> from_own(judge::Student& student, const Arguments& arguments, const Choices& c, bool as_views) {
    const Tensor x = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads");
    if (x.rank() != 3 || H < 1 || x.size(2) % H != 0) return std::nullopt;
    OwnParts parts(student, mask(arguments, "mask"), c, {x, tensor(arguments, "grad_y")}, as_views);
    return Module(arguments).answer(c, parts);
}

}  // namespace

std::optional<Answer> module_from_own_parts(judge::Student& student, const Arguments& arguments, const Choices& c) {
    return from_own(student, arguments, c, false);
}

std::optional<Answer> module_from_own_parts_given_views(judge::Student& student, const Arguments& arguments) {
    return from_own(student, arguments, right(), true);
}

}  // namespace headway::diagnosis
