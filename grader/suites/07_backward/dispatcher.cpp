#include "worker/dispatcher.hpp"

#include <backward.hpp>

#include <array>

namespace headway::worker {
namespace {

/// The names of ex07::Parameters' members, as they travel.
constexpr std::array<std::pair<const char*, Tensor ex07::Parameters::*>, 8> members{
    {{"q_weight", &ex07::Parameters::q_weight},
     {"q_bias", &ex07::Parameters::q_bias},
     {"k_weight", &ex07::Parameters::k_weight},
     {"k_bias", &ex07::Parameters::k_bias},
     {"v_weight", &ex07::Parameters::v_weight},
     {"v_bias", &ex07::Parameters::v_bias},
     {"out_weight", &ex07::Parameters::out_weight},
     {"out_bias", &ex07::Parameters::out_bias}}};

/// A copy to add to: strided as `tensor` is, unless elements of that share their memory, which nobody can add to.
Tensor copy_to_add_to(const Tensor& tensor) {
    for (Index axis = 0; axis < tensor.rank(); ++axis)
        if (tensor.size(axis) > 1 && tensor.strides()[static_cast<std::size_t>(axis)] == 0)
            return tensor.contiguous().clone();
    return tensor.clone();
}

struct LinearGradients {
    Tensor x, weight, bias;
};

struct ModuleGradients {
    Tensor x;
    ex07::Parameters parameters;
};

}  // namespace

template <>
struct Convert<ex07::AttentionGradients> {
    static wire::Value to(ex07::AttentionGradients gradients, Objects&) {
        return wire::Record{{{"q", gradients.q}, {"k", gradients.k}, {"v", gradients.v}}};
    }
};

template <>
struct Convert<LinearGradients> {
    static wire::Value to(LinearGradients gradients, Objects&) {
        return wire::Record{{{"x", gradients.x}, {"weight", gradients.weight}, {"bias", gradients.bias}}};
    }
};

template <>
struct Convert<ex07::Parameters> {
    static ex07::Parameters from(const wire::Value& value, Objects&) {
        const auto& record = std::get<wire::Record>(value);
        ex07::Parameters parameters;
        for (const auto& [name, member] : members) parameters.*member = std::get<Tensor>(record.find(name)->value);
        return parameters;
    }
};

template <>
struct Convert<ModuleGradients> {
    static wire::Value to(ModuleGradients gradients, Objects&) {
        wire::Record record{{{"x", gradients.x}}};
        for (const auto& [name, member] : members) record.fields.push_back({name, gradients.parameters.*member});
        return record;
    }
};

namespace {

ex07::Parameters copies_to_add_to(ex07::Parameters gradients) {
    for (const auto& [name, member] : members) gradients.*member = copy_to_add_to(gradients.*member);
    return gradients;
}

}  // namespace

void add_functions(Dispatcher& dispatcher) {
    dispatcher.add("softmax_backward", &ex07::softmax_backward);
    dispatcher.add("attention_backward", &ex07::attention_backward);
    // What is added to is a copy, so that the arguments can be seen to stay as they are.
    dispatcher.add(
        "linear_backward", +[](const Tensor& x, const Tensor& weight, const Tensor& grad_y, const Tensor& grad_weight,
                               const Tensor& grad_bias) {
            LinearGradients gradients{{}, copy_to_add_to(grad_weight), copy_to_add_to(grad_bias)};
            gradients.x = ex07::linear_backward(x, weight, grad_y, gradients.weight, gradients.bias);
            return gradients;
        });
    dispatcher.add(
        "multi_head_attention_backward", +[](const Tensor& x, const ex07::Parameters& parameters, Index num_heads,
                                             const Mask& mask, const Tensor& grad_y, const ex07::Parameters& grads) {
            ModuleGradients gradients{{}, copies_to_add_to(grads)};
            gradients.x =
                ex07::multi_head_attention_backward(x, parameters, num_heads, mask, grad_y, gradients.parameters);
            return gradients;
        });
    // The course's own: grads in which the weights of q and k are one tensor, and what that holds afterwards, if
    // they are one then: who puts new tensors into grads has none to add to twice.
    dispatcher.add(
        "backward_with_tied_weights", +[](const Tensor& x, const ex07::Parameters& parameters, Index num_heads,
                                          const Mask& mask, const Tensor& grad_y, const ex07::Parameters& grads) {
            ex07::Parameters tied = copies_to_add_to(grads);
            tied.k_weight = tied.q_weight;
            ex07::multi_head_attention_backward(x, parameters, num_heads, mask, grad_y, tied);
            return tied.q_weight.data() == tied.k_weight.data() ? tied.q_weight : Tensor{};
        });
}

}  // namespace headway::worker
