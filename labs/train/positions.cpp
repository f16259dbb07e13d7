#include "labs/train/positions.hpp"

#include "labs/frame/students_code.hpp"

#include <headway/given.hpp>

namespace headway::lab {
namespace {

/// x·weightᵀ + bias
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return matmul(x, weight.transpose(0, 1)) + bias;
}

/// q and k turned, v as it is: (B, H, T, d) each.
struct Heads {
    Tensor q, k, v;
    Mask blocked;

    Heads(const Tensor& x, const ex07::Parameters& p, Index H, const Turn& turn, const Mask& mask)
        : q(turn(given::split_heads(linear(x, p.q_weight, p.q_bias), H), Sense::forth)),
          k(turn(given::split_heads(linear(x, p.k_weight, p.k_bias), H), Sense::forth)),
          v(given::split_heads(linear(x, p.v_weight, p.v_bias), H)),
          blocked(mask) {}

    given::Attended attended() const { return given::scaled_dot_product_attention(q, k, v, blocked); }
};

}  // namespace

std::string to_string(Positions positions) {
    if (positions == Positions::none) return "none";
    return positions == Positions::rotary ? "rotary" : "learned";
}

Tensor turned_attention(const Tensor& x, const ex07::Parameters& parameters, Index H, const Turn& turn,
                        const Mask& mask) {
    const Tensor context = Heads(x, parameters, H, turn, mask).attended().context;
    return linear(given::merge_heads(context), parameters.out_weight, parameters.out_bias);
}

Tensor turned_weights(const Tensor& x, const ex07::Parameters& parameters, Index H, const Turn& turn,
                      const Mask& mask) {
    return Heads(x, parameters, H, turn, mask).attended().weights;
}

Tensor turned_attention_backward(const Tensor& x, const ex07::Parameters& parameters, Index H, const Turn& turn,
                                 const Mask& mask, const Tensor& grad_y, ex07::Parameters& grads) {
    const auto linear_backward = [](const Tensor& in, const Tensor& weight, const Tensor& grad, Tensor& grad_weight,
                                    Tensor& grad_bias) {
        return of_student("07_backward", "linear_backward",
                          [&] { return ex07::linear_backward(in, weight, grad, grad_weight, grad_bias); });
    };
    const Heads heads(x, parameters, H, turn, mask);
    const Tensor merged = given::merge_heads(heads.attended().context);
    const Tensor grad_context =
        given::split_heads(linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias), H);
    const ex07::AttentionGradients grad = of_student("07_backward", "attention_backward", [&] {
        return ex07::attention_backward(heads.q, heads.k, heads.v, mask, grad_context);
    });
    // A turn is undone by turning back, and so is its gradient: a rotation's transpose is its inverse.
    const Tensor grad_q = given::merge_heads(turn(grad.q, Sense::back));
    const Tensor grad_k = given::merge_heads(turn(grad.k, Sense::back));
    return linear_backward(x, parameters.q_weight, grad_q, grads.q_weight, grads.q_bias) +
           linear_backward(x, parameters.k_weight, grad_k, grads.k_weight, grads.k_bias) +
           linear_backward(x, parameters.v_weight, given::merge_heads(grad.v), grads.v_weight, grads.v_bias);
}

}  // namespace headway::lab
