// Loops over heads, which are matrices: what a matrix product says is wrong is what a beginner believes.
#include "backward.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex07 {
namespace {

void expect_that(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

Shape shape_of_heads(const Tensor& of, Index length, Index width) { return {of.size(0), of.size(1), length, width}; }

/// What a map hands back to its input; its parameters' gradients go into `weight` and `bias`.
Tensor back(const Tensor& x, const Tensor& map, const Tensor& heads, Tensor& weight, Tensor& bias) {
    return linear_backward(x, map, given::merge_heads(heads), weight, bias);
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    expect_that(weights.shape() == grad_weights.shape(), "as many gradients as weights");
    Tensor grad = Tensor::zeros(weights.shape());
    const Index S = weights.size(3);
    for (Index b = 0; b < grad.size(0); ++b)
        for (Index h = 0; h < grad.size(1); ++h)
            for (Index t = 0; t < grad.size(2); ++t) {
                float mean = 0;
                for (Index s = 0; s < S; ++s) mean += weights(b, h, t, s) * grad_weights(b, h, t, s);
                for (Index s = 0; s < S; ++s)
                    grad(b, h, t, s) = weights(b, h, t, s) * (grad_weights(b, h, t, s) - mean);
            }
    return grad;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    const Index T = q.size(2), S = k.size(2), d = q.size(3), d_v = v.size(3);
    expect_that(grad_context.shape() == shape_of_heads(q, T, d_v), "the context's gradient is as the context");
    const Tensor grad_scores = softmax_backward(weights, matmul(grad_context, v.transpose(2, 3)));
    AttentionGradients grad{Tensor::zeros(shape_of_heads(q, T, d)), Tensor::zeros(shape_of_heads(k, S, d)),
                            matmul(weights, grad_context)};
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    for (Index i = 0; i < d; ++i) {
                        grad.q(b, h, t, i) += grad_scores(b, h, t, s) * scale * k(b, h, s, i);
                        grad.k(b, h, s, i) += grad_scores(b, h, t, s) * scale * q(b, h, t, i);
                    }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    const Index B = x.size(0), T = x.size(1), in = weight.size(1), out = weight.size(0);
    expect_that(x.size(2) == in, "x is as wide as the weight");
    expect_that(grad_y.shape() == Shape{B, T, out}, "a row of gradients for each of x");
    expect_that(grad_weight.shape() == weight.shape() && grad_bias.shape() == Shape{out}, "gradients as parameters");
    Tensor grad_x = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index o = 0; o < out; ++o) {
                grad_bias(o) += grad_y(b, t, o);
                for (Index i = 0; i < in; ++i) {
                    grad_x(b, t, i) += grad_y(b, t, o) * weight(o, i);
                    grad_weight(o, i) += grad_y(b, t, o) * x(b, t, i);
                }
            }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    expect_that(x.rank() == 3 && grad_y.shape() == x.shape(), "a gradient for each number of x");
    const auto heads = [&](const Tensor& weight, const Tensor& bias) {
        return given::split_heads(matmul(x, weight.transpose(0, 1)) + bias, num_heads);
    };
    const Tensor q = heads(p.q_weight, p.q_bias), k = heads(p.k_weight, p.k_bias), v = heads(p.v_weight, p.v_bias);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    const Tensor grad_merged = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const auto grad = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    return back(x, p.q_weight, grad.q, grads.q_weight, grads.q_bias) +
           back(x, p.k_weight, grad.k, grads.k_weight, grads.k_bias) +
           back(x, p.v_weight, grad.v, grads.v_weight, grads.v_bias);
}

}  // namespace headway::ex07
