#include "backward.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace headway::ex07 {

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    // w ⊙ g - w · Σ(w ⊙ g)
    const Tensor wg = weights * grad_weights;
    return wg - weights * sum(wg, -1, KeepAxis::yes);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    const float root = std::sqrt(static_cast<float>(q.size(-1)));
    const Tensor grad_weights = matmul(grad_context, v.transpose(-2, -1));      // (B, H, T, S)
    const Tensor grad_scores = softmax_backward(weights, grad_weights) / root;  // (B, H, T, S)
    AttentionGradients grad;
    grad.q = matmul(grad_scores, k);
    grad.k = matmul(grad_scores.transpose(-2, -1), q);
    grad.v = matmul(grad_weights.transpose(-2, -1), grad_context);
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    if (weight.size(1) != in || grad_y.shape() != Shape{B, T, out})
        throw std::invalid_argument("linear_backward: shapes do not fit");
    const Tensor rows = x.transpose(0, 1).contiguous().view({B * T, in});
    const Tensor grad_rows = grad_y.contiguous().view({B * T, out});
    grad_weight += matmul(grad_rows.transpose(0, 1), rows);
    grad_bias += sum(grad_rows, 0);
    return matmul(grad_rows, weight).view({B, T, in});
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    const std::array<const Tensor*, 3> weight{&parameters.q_weight, &parameters.k_weight, &parameters.v_weight};
    const std::array<const Tensor*, 3> bias{&parameters.q_bias, &parameters.k_bias, &parameters.v_bias};
    const std::array<Tensor*, 3> grad_weight{&grads.q_weight, &grads.k_weight, &grads.v_weight};
    const std::array<Tensor*, 3> grad_bias{&grads.q_bias, &grads.k_bias, &grads.v_bias};

    std::array<Tensor, 3> heads;  // q, k, v
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const Tensor projected = matmul(x, weight[i]->transpose(0, 1)) + *bias[i];
        heads[i] = given::split_heads(projected, num_heads);
    }
    const Tensor context = given::scaled_dot_product_context(heads[0], heads[1], heads[2], mask);
    const Tensor merged = given::merge_heads(context);

    const Tensor from_out = linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients back =
        attention_backward(heads[0], heads[1], heads[2], mask, given::split_heads(from_out, num_heads));

    const std::array<Tensor, 3> grad_heads{back.q, back.k, back.v};
    Tensor grad_x = Tensor::zeros(x.shape());
    for (std::size_t i = 0; i < heads.size(); ++i) {
        grad_x += linear_backward(x, *weight[i], given::merge_heads(grad_heads[i]), *grad_weight[i], *grad_bias[i]);
    }
    return grad_x;
}

}  // namespace headway::ex07
