#pragma once

#include "reference/attention.hpp"
#include "reference/backward.hpp"
#include "student/inputs.hpp"
#include "student/record_field.hpp"
#include "student/student.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

/// What the hidden tests of exercise 07 ask with, and what should come back.
namespace headway::judge::backward {

inline const Tensor& field(const wire::Record& record, const std::string& name) {
    return judge::field<Tensor>(record, name);
}

struct Inputs {
    Sizes n;
    Tensor q, k, v, grad_context;

    Inputs(Random& random, const Sizes& sizes)
        : n(sizes),
          q(split(random, n.B, n.H, n.T, n.d)),
          k(split(random, n.B, n.H, n.S, n.d)),
          v(split(random, n.B, n.H, n.S, n.d_v)),
          grad_context(split(random, n.B, n.H, n.T, n.d_v)) {}

    /// (B, H, T, d) as split_heads leaves it: a view of (B, T, H, d).
    static Tensor split(Random& random, Index B, Index H, Index T, Index d) {
        return random_tensor(random, {B, T, H, d}).transpose(1, 2);
    }

    /// These inputs with scores in the thousands.
    Inputs with_large_scores() const {
        Inputs large = *this;
        large.q = q * 40.0F;
        large.k = k * 40.0F;
        return large;
    }

    /// These inputs with scores that are all about this number, below 0.
    Inputs with_low_scores(float score) const {
        Inputs low = *this;
        bring_scores_to(score, low.q, low.k);
        return low;
    }

    Arguments with(const Mask& mask) const {
        return {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}, {"grad_context", grad_context}};
    }

    reference::Array weights(const Mask& mask) const {
        return reference::masked_softmax(reference::scores(reference::exact(q), reference::exact(k)), mask);
    }

    reference::AttentionGradients expected(const Mask& mask) const {
        return reference::attention_backward(reference::exact(q), reference::exact(k), reference::exact(v), mask,
                                             reference::exact(grad_context));
    }
};

/// A Linear, what goes in and what comes back; gradients that are there already.
struct LinearInputs {
    Tensor x, weight, grad_y, grad_weight, grad_bias;

    LinearInputs(Random& random, const Sizes& n, bool holding)
        : x(random_tensor(random, {n.T, n.B, n.S}).transpose(0, 1)),
          weight(random_tensor(random, {n.d, n.S})),
          grad_y(random_tensor(random, {n.B, n.T, n.d})),
          grad_weight(random_tensor(random, {n.d, n.S}) * (holding ? 3.0F : 0.0F)),
          grad_bias(random_tensor(random, {n.d}) * (holding ? 3.0F : 0.0F)) {}

    Arguments arguments() const {
        return {
            {"x", x}, {"weight", weight}, {"grad_y", grad_y}, {"grad_weight", grad_weight}, {"grad_bias", grad_bias}};
    }

    reference::LinearGradients expected() const {
        auto gradients =
            reference::linear_backward(reference::exact(x), reference::exact(weight), reference::exact(grad_y));
        gradients.weight = reference::add(gradients.weight, reference::exact(grad_weight));
        gradients.bias = reference::add(gradients.bias, reference::exact(grad_bias));
        return gradients;
    }
};

inline const std::vector<std::string> maps{"q", "k", "v", "out"};

/// The module of exercise 05 on x, and the gradients of everything.
struct ModuleInputs {
    Sizes n;
    Tensor x, grad_y;
    wire::Record parameters, grads;

    ModuleInputs(Random& random, const Sizes& sizes, float holding)
        : n(sizes),
          x(random_tensor(random, {n.B, n.T, n.D()})),
          grad_y(random_tensor(random, {n.T, n.B, n.D()}).transpose(0, 1)) {
        const float size = 1.5F / std::sqrt(static_cast<float>(n.D()));
        for (const std::string& map : maps) {
            parameters.fields.push_back({map + "_weight", random_tensor(random, {n.D(), n.D()}) * size});
            parameters.fields.push_back({map + "_bias", random_tensor(random, {n.D()})});
            grads.fields.push_back({map + "_weight", random_tensor(random, {n.D(), n.D()}) * holding});
            grads.fields.push_back({map + "_bias", random_tensor(random, {n.D()}) * holding});
        }
    }

    Arguments with(const Mask& mask) const {
        return {{"x", x},       {"parameters", parameters}, {"num_heads", n.H},
                {"mask", mask}, {"grad_y", grad_y},         {"grads", grads}};
    }

    reference::Array heads(const std::string& map) const {
        const reference::Array weight = reference::exact(field(parameters, map + "_weight"));
        const reference::Array y =
            reference::add(reference::matmul(reference::exact(x), reference::transpose(weight, 0, 1)),
                           reference::exact(field(parameters, map + "_bias")));
        return reference::split_heads(y, n.H);
    }

    /// By name: "x", "q_weight", ...
    std::map<std::string, reference::Array> expected(const Mask& mask) const {
        const reference::Array q = heads("q"), k = heads("k"), v = heads("v");
        const reference::Array merged = reference::merge_heads(reference::attention(q, k, v, mask).context);
        const auto out = reference::linear_backward(merged, reference::exact(field(parameters, "out_weight")),
                                                    reference::exact(grad_y));
        const auto grad = reference::attention_backward(q, k, v, mask, reference::split_heads(out.x, n.H));
        std::map<std::string, reference::Array> all;
        const auto add = [&](const std::string& map, const reference::LinearGradients& gradients) {
            all[map + "_weight"] = reference::add(gradients.weight, reference::exact(field(grads, map + "_weight")));
            all[map + "_bias"] = reference::add(gradients.bias, reference::exact(field(grads, map + "_bias")));
        };
        add("out", out);
        for (const auto& [map, of_heads] :
             {std::pair<std::string, const reference::Array*>{"q", &grad.q}, {"k", &grad.k}, {"v", &grad.v}}) {
            const auto gradients =
                reference::linear_backward(reference::exact(x), reference::exact(field(parameters, map + "_weight")),
                                           reference::merge_heads(*of_heads));
            add(map, gradients);
            all["x"] = map == "q" ? gradients.x : reference::add(all["x"], gradients.x);
        }
        return all;
    }
};

}  // namespace headway::judge::backward
