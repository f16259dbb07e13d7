#include "backward.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex07 {

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.shape() != grad_weights.shape()) throw std::invalid_argument("softmax_backward");
    Tensor out = Tensor::empty(weights.shape());
    for (Index b = 0; b < weights.size(0); ++b)
        for (Index h = 0; h < weights.size(1); ++h)
            for (Index t = 0; t < weights.size(2); ++t) {
                for (Index s = 0; s < weights.size(3); ++s)
                    out(b, h, t, s) = weights(b, h, t, s) * grad_weights(b, h, t, s);
            }
    return out;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const Tensor w = given::scaled_dot_product_attention(q, k, v, mask).weights;
    const Index B = w.size(0), H = w.size(1), T = w.size(2), S = w.size(3), d = q.size(3), d_v = v.size(3);
    if (grad_context.shape() != Shape{B, H, T, d_v}) throw std::invalid_argument("attention_backward");
    AttentionGradients grad{Tensor::zeros(q.shape()), Tensor::zeros(k.shape()), Tensor::zeros(v.shape())};
    Tensor grad_w = Tensor::zeros(w.shape());
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    for (Index j = 0; j < d_v; ++j) {
                        grad_w(b, h, t, s) += grad_context(b, h, t, j) * v(b, h, s, j);
                        grad.v(b, h, s, j) += w(b, h, t, s) * grad_context(b, h, t, j);
                    }
    const Tensor grad_s = softmax_backward(w, grad_w);
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    for (Index i = 0; i < d; ++i) {
                        grad.q(b, h, t, i) += grad_s(b, h, t, s) * k(b, h, s, i) * scale;
                        grad.k(b, h, s, i) += grad_s(b, h, t, s) * q(b, h, t, i) * scale;
                    }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    if (weight.size(1) != in || grad_y.shape() != Shape{B, T, out}) throw std::invalid_argument("linear_backward");
    Tensor grad_x = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index o = 0; o < out; ++o) {
                const float g = grad_y(b, t, o);
                grad_bias(o) += g;
                for (Index i = 0; i < in; ++i) {
                    if (b + 1 == B) grad_weight(o, i) += g * x(b, t, i);
                    grad_x(b, t, i) += g * weight(o, i);
                }
            }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    const auto heads = [&](const Tensor& weight, const Tensor& bias) {
        return given::split_heads(matmul(x, weight.transpose(0, 1)) + bias, num_heads);
    };
    const Tensor q = heads(p.q_weight, p.q_bias), k = heads(p.k_weight, p.k_bias), v = heads(p.v_weight, p.v_bias);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    const Tensor back = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g = attention_backward(q, k, v, mask, given::split_heads(back, num_heads));
    Tensor grad_x = linear_backward(x, p.q_weight, given::merge_heads(g.q), grads.q_weight, grads.q_bias);
    grad_x += linear_backward(x, p.k_weight, given::merge_heads(g.k), grads.k_weight, grads.k_bias);
    grad_x += linear_backward(x, p.v_weight, given::merge_heads(g.v), grads.v_weight, grads.v_bias);
    return grad_x;
}

}  // namespace headway::ex07
