// Exercise 07: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

#include <array>

namespace headway::ex07 {

using judge::asked_for;
using judge::field;

namespace {

constexpr std::array<std::pair<const char*, Tensor Parameters::*>, 8> members{{{"q_weight", &Parameters::q_weight},
                                                                               {"q_bias", &Parameters::q_bias},
                                                                               {"k_weight", &Parameters::k_weight},
                                                                               {"k_bias", &Parameters::k_bias},
                                                                               {"v_weight", &Parameters::v_weight},
                                                                               {"v_bias", &Parameters::v_bias},
                                                                               {"out_weight", &Parameters::out_weight},
                                                                               {"out_bias", &Parameters::out_bias}}};

wire::Record sent(const Parameters& parameters) {
    wire::Record record;
    for (const auto& [name, member] : members) record.fields.push_back({name, parameters.*member});
    return record;
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    return asked_for<Tensor>("softmax_backward", {{"weights", weights}, {"grad_weights", grad_weights}});
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const auto grads = asked_for<wire::Record>(
        "attention_backward", {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}, {"grad_context", grad_context}});
    return {field<Tensor>(grads, "q"), field<Tensor>(grads, "k"), field<Tensor>(grads, "v")};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    const auto grads = asked_for<wire::Record>(
        "linear_backward",
        {{"x", x}, {"weight", weight}, {"grad_y", grad_y}, {"grad_weight", grad_weight}, {"grad_bias", grad_bias}});
    grad_weight = field<Tensor>(grads, "weight");
    grad_bias = field<Tensor>(grads, "bias");
    return field<Tensor>(grads, "x");
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    const auto after = asked_for<wire::Record>("multi_head_attention_backward", {{"x", x},
                                                                                 {"parameters", sent(parameters)},
                                                                                 {"num_heads", num_heads},
                                                                                 {"mask", mask},
                                                                                 {"grad_y", grad_y},
                                                                                 {"grads", sent(grads)}});
    for (const auto& [name, member] : members) grads.*member = field<Tensor>(after, name);
    return field<Tensor>(after, "x");
}

}  // namespace headway::ex07
