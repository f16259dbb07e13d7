#include "backward.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex07 {

namespace {

/// One of the four maps, with where its gradients go.
struct Layer {
    const Tensor& weight;
    const Tensor& bias;
    Tensor& grad_weight;
    Tensor& grad_bias;

    Tensor forward(const Tensor& x) const { return matmul(x, weight.transpose(0, 1)) + bias; }
    Tensor backward(const Tensor& x, const Tensor& grad_y) const {
        return linear_backward(x, weight, grad_y, grad_weight, grad_bias);
    }
};

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    const Tensor average = sum(weights * grad_weights, -1, KeepAxis::yes);  // (B, H, T, 1)
    return weights * (grad_weights - average);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    // As FlashAttention does it: Σ_j w_j·grad_w_j is the dot product of the context and its gradient.
    const given::Attended forward = given::scaled_dot_product_attention(q, k, v, mask);
    const Tensor& w = forward.weights;
    const Tensor delta = mean(grad_context * forward.context, -1, KeepAxis::yes);  // (B, H, T, 1)
    const Tensor gs = w * (matmul(grad_context, v.transpose(2, 3)) - delta);       // (B, H, T, S), of scaled scores
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.size(3)));
    const Tensor gq = matmul(gs, k) * scale;
    const Tensor gk = matmul(gs.transpose(2, 3), q) * scale;
    const Tensor gv = matmul(w.transpose(2, 3), grad_context);
    return {gq, gk, gv};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    if (weight.size(1) != in || grad_y.shape() != Shape{B, T, out})
        throw std::invalid_argument("linear_backward: shapes do not fit");
    grad_weight += sum(matmul(grad_y.transpose(1, 2), x), 0);  // (B, out, in) summed over B
    grad_bias += sum(sum(grad_y, 0), 0);
    return matmul(grad_y, weight);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    const Parameters& p = parameters;
    const Layer q_layer{p.q_weight, p.q_bias, grads.q_weight, grads.q_bias};
    const Layer k_layer{p.k_weight, p.k_bias, grads.k_weight, grads.k_bias};
    const Layer v_layer{p.v_weight, p.v_bias, grads.v_weight, grads.v_bias};
    const Layer out_layer{p.out_weight, p.out_bias, grads.out_weight, grads.out_bias};

    const Tensor q = given::split_heads(q_layer.forward(x), num_heads);
    const Tensor k = given::split_heads(k_layer.forward(x), num_heads);
    const Tensor v = given::split_heads(v_layer.forward(x), num_heads);
    const given::Attended attended = given::scaled_dot_product_attention(q, k, v, mask);

    const Tensor grad_merged = out_layer.backward(given::merge_heads(attended.context), grad_y);
    const AttentionGradients g = attention_backward(q, k, v, Mask{}, given::split_heads(grad_merged, num_heads));

    Tensor grad_x = q_layer.backward(x, given::merge_heads(g.q));
    grad_x = grad_x + k_layer.backward(x, given::merge_heads(g.k));
    grad_x = grad_x + v_layer.backward(x, given::merge_heads(g.v));
    return grad_x;
}

}  // namespace headway::ex07
