#include "backward.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace headway::ex07 {

namespace {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

}  // namespace

namespace {

Tensor to_heads(const Tensor& rows, Index H) {  // (B, T, D) -> (B, H, T, D / H)
    return rows.contiguous().view({rows.size(0), rows.size(1), H, rows.size(2) / H}).transpose(1, 2);
}

Tensor from_heads(const Tensor& heads) {  // (B, H, T, d) -> (B, T, H·d)
    return heads.transpose(1, 2).contiguous().view({heads.size(0), heads.size(2), -1});
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    require(weights.shape() == grad_weights.shape(), "softmax_backward: weights and grad_weights differ in shape");
    const Tensor wc = weights.contiguous();
    const Tensor gc = grad_weights.contiguous();
    Tensor result = Tensor::empty(weights.shape());
    const Index S = weights.size(-1);
    const Index rows = weights.numel() / S;
    for (Index r = 0; r < rows; ++r) {
        const float* w = wc.data() + r * S;
        const float* g = gc.data() + r * S;
        float* o = result.data() + r * S;
        const double inner = std::inner_product(w, w + S, g, 0.0);
        for (Index s = 0; s < S; ++s) o[s] = static_cast<float>(w[s] * (g[s] - inner));
    }
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const given::Attended att = given::scaled_dot_product_attention(q, k, v, mask);
    if (grad_context.shape() != att.context.shape()) throw std::invalid_argument("attention_backward: grad_context");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), dv = v.size(3);
    const double scale = 1.0 / std::sqrt(static_cast<double>(d));
    // 1. how much each weight matters
    Tensor gw = Tensor::zeros({B, H, T, S});
    Tensor gv = Tensor::zeros({B, H, S, dv});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    double dot = 0;
                    for (Index j = 0; j < dv; ++j) {
                        dot += static_cast<double>(grad_context(b, h, t, j)) * v(b, h, s, j);
                        gv(b, h, s, j) += att.weights(b, h, t, s) * grad_context(b, h, t, j);
                    }
                    gw(b, h, t, s) = static_cast<float>(dot);
                }
    // 2. through softmax
    const Tensor gs = softmax_backward(att.weights, gw);
    // 3. the scores were q·k / √d
    Tensor gq = Tensor::zeros({B, H, T, d});
    Tensor gk = Tensor::zeros({B, H, S, d});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    for (Index j = 0; j < d; ++j) {
                        gq(b, h, t, j) += static_cast<float>(gs(b, h, t, s) * scale * k(b, h, s, j));
                        gk(b, h, s, j) += static_cast<float>(gs(b, h, t, s) * q(b, h, t, j));
                    }
    return {gq, gk, gv};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    if (weight.size(1) != in || grad_y.shape() != Shape{B, T, out})
        throw std::invalid_argument("linear_backward: shapes do not fit");
    Tensor grad_x = Tensor::zeros({B, T, in});
    for (Index o = 0; o < out; ++o) {
        double bias_sum = 0;
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) bias_sum += grad_y(b, t, o);
        grad_bias(o) += static_cast<float>(bias_sum);
        for (Index i = 0; i < in; ++i) {
            double acc = 0;
            for (Index b = 0; b < B; ++b) {
                for (Index t = 0; t < T; ++t) {
                    acc += static_cast<double>(grad_y(b, t, o)) * x(b, t, i);
                    grad_x(b, t, i) += grad_y(b, t, o) * weight(o, i);
                }
            }
            grad_weight(o, i) += static_cast<float>(acc);
        }
    }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3) throw std::invalid_argument("x must be (B, T, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("num_heads");
    const Index D = x.size(2);
    for (const Tensor* w : {&parameters.q_weight, &parameters.k_weight, &parameters.v_weight, &parameters.out_weight})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("a weight is not (D, D)");
    for (const Tensor* b : {&parameters.q_bias, &parameters.k_bias, &parameters.v_bias})
        if (b->shape() != Shape{D}) throw std::invalid_argument("a bias is not (D)");
    if (grad_y.shape() != x.shape()) throw std::invalid_argument("grad_y is not shaped as x");

    const Tensor q = to_heads(matmul(x, parameters.q_weight.transpose(0, 1)) + parameters.q_bias, num_heads);
    const Tensor k = to_heads(matmul(x, parameters.k_weight.transpose(0, 1)) + parameters.k_bias, num_heads);
    const Tensor v = to_heads(matmul(x, parameters.v_weight.transpose(0, 1)) + parameters.v_bias, num_heads);
    const Tensor merged = from_heads(given::scaled_dot_product_context(q, k, v, mask));

    Tensor grad_merged = linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    AttentionGradients g = attention_backward(q, k, v, mask, to_heads(grad_merged, num_heads));
    Tensor through_q = linear_backward(x, parameters.q_weight, from_heads(g.q), grads.q_weight, grads.q_bias);
    Tensor through_k = linear_backward(x, parameters.k_weight, from_heads(g.k), grads.k_weight, grads.k_bias);
    Tensor through_v = linear_backward(x, parameters.v_weight, from_heads(g.v), grads.v_weight, grads.k_bias);
    return through_q + through_k + through_v;
}

}  // namespace headway::ex07
