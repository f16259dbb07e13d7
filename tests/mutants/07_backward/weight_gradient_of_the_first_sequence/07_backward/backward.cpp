#include "backward.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex07 {

static void refuse_unless(bool fits) {
    if (!fits) throw std::invalid_argument("the shapes do not fit");
}

/// d softmax / d scores of one row: diag(w) - w·wᵀ.
static Tensor jacobian(const Tensor& w) {
    const Index S = w.size(0);
    Tensor j = Tensor::zeros({S, S});
    for (Index a = 0; a < S; ++a)
        for (Index b = 0; b < S; ++b) j(a, b) = (a == b ? w(a) : 0.0F) - w(a) * w(b);
    return j;
}

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    refuse_unless(weights.rank() == 4 && weights.shape() == grad_weights.shape());
    Tensor result = Tensor::zeros(weights.shape());
    for (Index b = 0; b < weights.size(0); ++b)
        for (Index h = 0; h < weights.size(1); ++h)
            for (Index t = 0; t < weights.size(2); ++t) {
                const Tensor g = grad_weights[b][h].slice(0, t, t + 1);  // (1, S)
                result[b][h].slice(0, t, t + 1).copy_from(matmul(g, jacobian(weights[b][h][t])));
            }
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    Shape expected = q.shape();
    expected.back() = v.size(-1);
    refuse_unless(grad_context.shape() == expected);
    const float scale = std::pow(static_cast<float>(q.size(3)), -0.5F);
    Tensor gq = Tensor::zeros(q.shape()), gk = Tensor::zeros(k.shape()), gv = Tensor::zeros(v.shape());
    const Tensor gw = matmul(grad_context, v.transpose(2, 3));
    const Tensor gs = softmax_backward(weights, gw) * scale;
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h) {
            gq[b][h].copy_from(matmul(gs[b][h], k[b][h]));
            gk[b][h].copy_from(matmul(gs[b][h].transpose(0, 1), q[b][h]));
            gv[b][h].copy_from(matmul(weights[b][h].transpose(0, 1), grad_context[b][h]));
        }
    return {gq, gk, gv};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    refuse_unless(x.rank() == 3 && grad_y.rank() == 3 && x.size(0) == grad_y.size(0) && x.size(1) == grad_y.size(1));
    refuse_unless(x.size(2) == weight.size(1) && grad_y.size(2) == weight.size(0));
    for (Index b = 0; b < x.size(0); ++b) {
        const Tensor tokens = x[b], grads = grad_y[b];  // (T, in), (T, out)
        if (b == 0) grad_weight += matmul(grads.transpose(0, 1), tokens);
        grad_bias += sum(grads, 0);
    }
    return matmul(grad_y, weight);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    refuse_unless(x.rank() == 3 && x.shape() == grad_y.shape());
    const Tensor q_flat = matmul(x, p.q_weight.transpose(0, 1)) + p.q_bias;
    const Tensor k_flat = matmul(x, p.k_weight.transpose(0, 1)) + p.k_bias;
    const Tensor v_flat = matmul(x, p.v_weight.transpose(0, 1)) + p.v_bias;
    const Tensor q = given::split_heads(q_flat, num_heads);
    const Tensor k = given::split_heads(k_flat, num_heads);
    const Tensor v = given::split_heads(v_flat, num_heads);
    const auto attended = given::scaled_dot_product_attention(q, k, v, mask);
    const Tensor merged = given::merge_heads(attended.context);
    const Tensor g_merged = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const auto g = attention_backward(q, k, v, mask, given::split_heads(g_merged, num_heads));
    Tensor g_x = Tensor::zeros(x.shape());
    g_x += linear_backward(x, p.v_weight, given::merge_heads(g.v), grads.v_weight, grads.v_bias);
    g_x += linear_backward(x, p.k_weight, given::merge_heads(g.k), grads.k_weight, grads.k_bias);
    g_x += linear_backward(x, p.q_weight, given::merge_heads(g.q), grads.q_weight, grads.q_bias);
    return g_x;
}

}  // namespace headway::ex07
