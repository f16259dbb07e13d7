#include "backward.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// Plain loops over indices; sums are in double.
namespace headway::ex07 {

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4 || weights.shape() != grad_weights.shape())
        throw std::invalid_argument("softmax_backward: two tensors of one shape (B, H, T, S) are needed");
    const Index B = weights.size(0), H = weights.size(1), T = weights.size(2), S = weights.size(3);
    Tensor grad_scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                double mean = 0;
                for (Index s = 0; s < S; ++s)
                    if (weights(b, h, t, s) != 0)
                        mean += static_cast<double>(weights(b, h, t, s)) * grad_weights(b, h, t, s);
                for (Index s = 0; s < S; ++s)
                    if (weights(b, h, t, s) != 0)
                        grad_scores(b, h, t, s) =
                            static_cast<float>(weights(b, h, t, s) * (grad_weights(b, h, t, s) - mean));
            }
    return grad_scores;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || grad_context.rank() != 4)
        throw std::invalid_argument("attention_backward: all tensors have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d)
        throw std::invalid_argument("attention_backward: k does not fit q");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S)
        throw std::invalid_argument("attention_backward: v does not fit k");
    if (grad_context.shape() != Shape{B, H, T, d_v})
        throw std::invalid_argument("attention_backward: grad_context does not fit");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};

    AttentionGradients grad{Tensor::zeros(q.shape()), Tensor::zeros(k.shape()), Tensor::zeros(v.shape())};
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            std::vector<double> grad_k(static_cast<std::size_t>(S * d)), grad_v(static_cast<std::size_t>(S * d_v));
            for (Index t = 0; t < T; ++t) {
                std::vector<double> weight(static_cast<std::size_t>(S)), grad_weight(static_cast<std::size_t>(S));
                std::vector<char> open(static_cast<std::size_t>(S));
                double largest = -std::numeric_limits<double>::infinity();
                for (Index s = 0; s < S; ++s) {
                    open[s] = !wide.defined() || !wide(b, 0, t, s);
                    if (!open[s]) continue;
                    for (Index i = 0; i < d; ++i) weight[s] += static_cast<double>(q(b, h, t, i)) * k(b, h, s, i);
                    weight[s] *= scale;
                    if (weight[s] > largest) largest = weight[s];
                }
                double total = 0;
                for (Index s = 0; s < S; ++s)
                    if (open[s]) total += weight[s] = std::exp(weight[s] - largest);
                if (!(total > 0)) continue;  // this query sees no key
                double mean = 0;
                for (Index s = 0; s < S; ++s) {
                    if (!open[s]) continue;
                    weight[s] /= total;
                    for (Index j = 0; j < d_v; ++j) {
                        grad_weight[s] += static_cast<double>(grad_context(b, h, t, j)) * v(b, h, s, j);
                        grad_v[s * d_v + j] += weight[s] * grad_context(b, h, t, j);
                    }
                    mean += weight[s] * grad_weight[s];
                }
                for (Index i = 0; i < d; ++i) {
                    double grad_q = 0;
                    for (Index s = 0; s < S; ++s) {
                        if (!open[s]) continue;
                        const double grad_score = weight[s] * (grad_weight[s] - mean) * scale;
                        grad_q += grad_score * k(b, h, s, i);
                        grad_k[s * d + i] += grad_score * q(b, h, t, i);
                    }
                    grad.q(b, h, t, i) = static_cast<float>(grad_q);
                }
            }
            for (Index s = 0; s < S; ++s) {
                for (Index i = 0; i < d; ++i) grad.k(b, h, s, i) = static_cast<float>(grad_k[s * d + i]);
                for (Index j = 0; j < d_v; ++j) grad.v(b, h, s, j) = static_cast<float>(grad_v[s * d_v + j]);
            }
        }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    if (x.rank() != 3 || weight.rank() != 2 || grad_y.rank() != 3)
        throw std::invalid_argument("linear_backward: (B, T, in), (out, in) and (B, T, out) are needed");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    if (weight.size(1) != in) throw std::invalid_argument("linear_backward: weight does not fit x");
    if (grad_y.size(2) != out) throw std::invalid_argument("linear_backward: grad_y does not fit weight");
    if (grad_weight.shape() != Shape{out, in} || grad_bias.shape() != Shape{out})
        throw std::invalid_argument("linear_backward: gradients of another shape");

    Tensor grad_x = Tensor::zeros({B, T, in});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < in; ++i) {
                double total = 0;
                for (Index o = 0; o < out; ++o) total += static_cast<double>(grad_y(b, t, o)) * weight(o, i);
                grad_x(b, t, i) = static_cast<float>(total);
            }
    for (Index o = 0; o < out; ++o) {
        for (Index i = 0; i < in; ++i) {
            double total = 0;
            for (Index b = 0; b < B; ++b)
                for (Index t = 0; t < T; ++t) total += static_cast<double>(grad_y(b, t, o)) * x(b, t, i);
            grad_weight(o, i) += static_cast<float>(total);
        }
        double total = 0;
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) total += grad_y(b, t, o);
        grad_bias(o) += static_cast<float>(total);
    }
    return grad_x;
}

namespace {

/// y = x·weightᵀ + bias, head by head: (B, H, T, D / H).
Tensor projected(const Tensor& x, const Tensor& weight, const Tensor& bias, Index num_heads) {
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = D / num_heads;
    Tensor y = Tensor::zeros({B, num_heads, T, d});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index o = 0; o < D; ++o) {
                double total = bias(o);
                for (Index i = 0; i < D; ++i) total += static_cast<double>(x(b, t, i)) * weight(o, i);
                y(b, o / d, t, o % d) = static_cast<float>(total);
            }
    return y;
}

bool are_parameters(const Parameters& p, Index D) {
    const Shape matrix{D, D}, vector{D};
    return p.q_weight.shape() == matrix && p.k_weight.shape() == matrix && p.v_weight.shape() == matrix &&
           p.out_weight.shape() == matrix && p.q_bias.shape() == vector && p.k_bias.shape() == vector &&
           p.v_bias.shape() == vector && p.out_bias.shape() == vector;
}

}  // namespace

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3 || grad_y.shape() != x.shape())
        throw std::invalid_argument("multi_head_attention_backward: x and grad_y are (B, T, D)");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0)
        throw std::invalid_argument("multi_head_attention_backward: num_heads does not divide D");
    if (!are_parameters(parameters, D) || !are_parameters(grads, D))
        throw std::invalid_argument("multi_head_attention_backward: parameters or gradients of another shape");

    const Tensor q = projected(x, parameters.q_weight, parameters.q_bias, num_heads);
    const Tensor k = projected(x, parameters.k_weight, parameters.k_bias, num_heads);
    const Tensor v = projected(x, parameters.v_weight, parameters.v_bias, num_heads);
    const Tensor context = given::scaled_dot_product_context(q, k, v, mask);
    const Tensor grad_merged =
        linear_backward(given::merge_heads(context), parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    const Tensor from_q =
        linear_backward(x, parameters.q_weight, given::merge_heads(g.q), grads.q_weight, grads.q_bias);
    const Tensor from_k =
        linear_backward(x, parameters.k_weight, given::merge_heads(g.k), grads.k_weight, grads.k_bias);
    const Tensor from_v =
        linear_backward(x, parameters.v_weight, given::merge_heads(g.v), grads.v_weight, grads.v_bias);
    return from_q + from_k + from_v;
}

}  // namespace headway::ex07
