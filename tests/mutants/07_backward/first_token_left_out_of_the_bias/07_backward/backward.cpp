#include "backward.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// Index loops, double inside, no library operation but element access.

namespace headway::ex07 {

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4 || grad_weights.rank() != 4) throw std::invalid_argument("rank 4 expected");
    for (Index axis = 0; axis < 4; ++axis)
        if (weights.size(axis) != grad_weights.size(axis)) throw std::invalid_argument("shapes differ");
    Tensor result = Tensor::zeros(weights.shape());
    for (Index b = 0; b < weights.size(0); ++b) {
        for (Index h = 0; h < weights.size(1); ++h) {
            for (Index t = 0; t < weights.size(2); ++t) {
                double total = 0;
                for (Index s = 0; s < weights.size(3); ++s) {
                    if (weights(b, h, t, s) == 0) continue;
                    total += static_cast<double>(weights(b, h, t, s)) * grad_weights(b, h, t, s);
                }
                for (Index s = 0; s < weights.size(3); ++s) {
                    if (weights(b, h, t, s) == 0) continue;
                    result(b, h, t, s) = static_cast<float>(weights(b, h, t, s) * (grad_weights(b, h, t, s) - total));
                }
            }
        }
    }
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || grad_context.rank() != 4)
        throw std::invalid_argument("attention_backward: all tensors have rank 4");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), dv = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) throw std::invalid_argument("attention_backward: k");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S) throw std::invalid_argument("attention_backward: v");
    if (grad_context.size(0) != B || grad_context.size(1) != H || grad_context.size(2) != T ||
        grad_context.size(3) != dv)
        throw std::invalid_argument("attention_backward: grad_context");
    const bool masked = mask.defined();
    const Mask wide = masked ? mask.expand({B, H, T, S}) : Mask::allow_all({1, 1, 1, 1});

    AttentionGradients grad{Tensor::zeros({B, H, T, d}), Tensor::zeros({B, H, S, d}), Tensor::zeros({B, H, S, dv})};
    const double root = std::sqrt(static_cast<double>(d));
    std::vector<double> weight(static_cast<std::size_t>(S)), gw(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                double largest = -std::numeric_limits<double>::infinity();
                for (Index s = 0; s < S; ++s) {
                    double score = 0;
                    for (Index i = 0; i < d; ++i) score += static_cast<double>(q(b, h, t, i)) * k(b, h, s, i);
                    weight[s] = score / root;
                    if (masked && wide(b, h, t, s)) weight[s] = -1e9;
                    if (weight[s] > largest) largest = weight[s];
                }
                double denominator = 0;
                for (Index s = 0; s < S; ++s) {
                    weight[s] = std::exp(weight[s] - largest);
                    denominator += weight[s];
                }
                if (denominator == 0) continue;  // sees no key
                double average = 0;
                for (Index s = 0; s < S; ++s) {
                    weight[s] /= denominator;
                    gw[s] = 0;
                    for (Index j = 0; j < dv; ++j)
                        gw[s] += static_cast<double>(grad_context(b, h, t, j)) * v(b, h, s, j);
                    average += weight[s] * gw[s];
                }
                for (Index s = 0; s < S; ++s) {
                    const double gs = weight[s] * (gw[s] - average) / root;
                    for (Index i = 0; i < d; ++i) {
                        grad.q(b, h, t, i) += static_cast<float>(gs * k(b, h, s, i));
                        grad.k(b, h, s, i) += static_cast<float>(gs * q(b, h, t, i));
                    }
                    for (Index j = 0; j < dv; ++j)
                        grad.v(b, h, s, j) += static_cast<float>(weight[s] * grad_context(b, h, t, j));
                }
            }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    if (x.rank() != 3 || weight.rank() != 2 || grad_y.rank() != 3 || grad_weight.rank() != 2 || grad_bias.rank() != 1)
        throw std::invalid_argument("linear_backward: rank");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    if (weight.size(1) != in || grad_y.size(0) != B || grad_y.size(1) != T || grad_y.size(2) != out ||
        grad_weight.size(0) != out || grad_weight.size(1) != in || grad_bias.size(0) != out)
        throw std::invalid_argument("linear_backward: sizes");
    for (Index o = 0; o < out; ++o) {
        double total = 0;
        for (Index b = 0; b < B; ++b)
            for (Index t = 1; t < T; ++t) total += grad_y(b, t, o);
        grad_bias(o) += static_cast<float>(total);
        for (Index i = 0; i < in; ++i) {
            total = 0;
            for (Index b = 0; b < B; ++b)
                for (Index t = 0; t < T; ++t) total += static_cast<double>(grad_y(b, t, o)) * x(b, t, i);
            grad_weight(o, i) += static_cast<float>(total);
        }
    }
    Tensor grad_x = Tensor::empty({B, T, in});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < in; ++i) {
                double total = 0;
                for (Index o = 0; o < out; ++o) total += static_cast<double>(grad_y(b, t, o)) * weight(o, i);
                grad_x(b, t, i) = static_cast<float>(total);
            }
    return grad_x;
}

namespace {

Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    Tensor y = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t)
            for (Index o = 0; o < weight.size(0); ++o) {
                double total = bias(o);
                for (Index i = 0; i < weight.size(1); ++i) total += static_cast<double>(x(b, t, i)) * weight(o, i);
                y(b, t, o) = static_cast<float>(total);
            }
    return y;
}

void check_parameters(const Parameters& p, Index D) {
    const Shape matrix{D, D}, vector{D};
    if (p.q_weight.shape() != matrix || p.k_weight.shape() != matrix || p.v_weight.shape() != matrix ||
        p.out_weight.shape() != matrix)
        throw std::invalid_argument("weights must be (D, D)");
    if (p.q_bias.shape() != vector || p.k_bias.shape() != vector || p.v_bias.shape() != vector ||
        p.out_bias.shape() != vector)
        throw std::invalid_argument("biases must be (D)");
}

}  // namespace

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3 || grad_y.shape() != x.shape()) throw std::invalid_argument("x and grad_y must be (B, T, D)");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("D must be divisible by num_heads");
    check_parameters(parameters, D);
    check_parameters(grads, D);
    if (mask.defined()) (void)mask.expand({x.size(0), num_heads, x.size(1), x.size(1)});

    const Tensor q = given::split_heads(forward(x, parameters.q_weight, parameters.q_bias), num_heads);
    const Tensor k = given::split_heads(forward(x, parameters.k_weight, parameters.k_bias), num_heads);
    const Tensor v = given::split_heads(forward(x, parameters.v_weight, parameters.v_bias), num_heads);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(q, k, v, mask));
    const Tensor grad_merged = linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    const Tensor through_q =
        linear_backward(x, parameters.q_weight, given::merge_heads(g.q), grads.q_weight, grads.q_bias);
    const Tensor through_k =
        linear_backward(x, parameters.k_weight, given::merge_heads(g.k), grads.k_weight, grads.k_bias);
    const Tensor through_v =
        linear_backward(x, parameters.v_weight, given::merge_heads(g.v), grads.v_weight, grads.v_bias);
    Tensor grad_x = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t)
            for (Index i = 0; i < D; ++i)
                grad_x(b, t, i) = through_q(b, t, i) + through_k(b, t, i) + through_v(b, t, i);
    return grad_x;
}

}  // namespace headway::ex07
