#include "backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// Everything over indices, sums in double.
namespace headway::ex07 {
namespace {

void check(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    Tensor y = Tensor::zeros({x.size(0), x.size(1), weight.size(0)});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t)
            for (Index o = 0; o < weight.size(0); ++o) {
                double total = bias(o);
                for (Index i = 0; i < weight.size(1); ++i) total += double(x(b, t, i)) * weight(o, i);
                y(b, t, o) = static_cast<float>(total);
            }
    return y;
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    check(weights.rank() == 4 && weights.shape() == grad_weights.shape(), "softmax_backward: shapes do not fit");
    const Index B = weights.size(0), H = weights.size(1), T = weights.size(2), S = weights.size(3);
    Tensor grad_scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            double average = 0;
            for (Index t = 0; t < T; ++t) {
                for (Index s = 0; s < S; ++s) average += double(weights(b, h, t, s)) * grad_weights(b, h, t, s);
                for (Index s = 0; s < S; ++s)
                    grad_scores(b, h, t, s) =
                        static_cast<float>(weights(b, h, t, s) * (grad_weights(b, h, t, s) - average));
            }
        }
    return grad_scores;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && grad_context.rank() == 4, "attention_backward: rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    check(k.size(0) == B && k.size(1) == H && k.size(3) == d, "attention_backward: k does not fit q");
    check(v.size(0) == B && v.size(1) == H && v.size(2) == S, "attention_backward: v does not fit k");
    check(grad_context.shape() == Shape{B, H, T, d_v}, "attention_backward: grad_context does not fit");
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({1, 1, 1, 1})).expand({B, H, T, S});

    const double root = std::sqrt(double(d));
    Tensor weights = Tensor::zeros({B, H, T, S});
    Tensor grad_weights = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                for (Index s = 0; s < S; ++s) {
                    double total = 0;
                    for (Index i = 0; i < d_v; ++i) total += double(grad_context(b, h, t, i)) * v(b, h, s, i);
                    grad_weights(b, h, t, s) = static_cast<float>(total);
                }
                std::vector<double> scores(static_cast<std::size_t>(S), -std::numeric_limits<double>::infinity());
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    double score = 0;
                    for (Index i = 0; i < d; ++i) score += double(q(b, h, t, i)) * k(b, h, s, i);
                    scores[static_cast<std::size_t>(s)] = score / root;
                }
                const double largest = *std::max_element(scores.begin(), scores.end());
                if (std::isinf(largest)) continue;  // the query sees no key
                double total = 0;
                for (double& score : scores) total += score = std::exp(score - largest);
                for (Index s = 0; s < S; ++s)
                    weights(b, h, t, s) = static_cast<float>(scores[static_cast<std::size_t>(s)] / total);
            }

    const Tensor grad_scores = softmax_backward(weights, grad_weights);
    AttentionGradients grad{Tensor::zeros({B, H, T, d}), Tensor::zeros({B, H, S, d}), Tensor::zeros({B, H, S, d_v})};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < d; ++i) {
                    double total = 0;
                    for (Index s = 0; s < S; ++s) total += double(grad_scores(b, h, t, s)) * k(b, h, s, i);
                    grad.q(b, h, t, i) = static_cast<float>(total / root);
                }
            for (Index s = 0; s < S; ++s) {
                for (Index i = 0; i < d; ++i) {
                    double total = 0;
                    for (Index t = 0; t < T; ++t) total += double(grad_scores(b, h, t, s)) * q(b, h, t, i);
                    grad.k(b, h, s, i) = static_cast<float>(total / root);
                }
                for (Index i = 0; i < d_v; ++i) {
                    double total = 0;
                    for (Index t = 0; t < T; ++t) total += double(weights(b, h, t, s)) * grad_context(b, h, t, i);
                    grad.v(b, h, s, i) = static_cast<float>(total);
                }
            }
        }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    check(x.rank() == 3 && weight.rank() == 2 && grad_y.rank() == 3, "linear_backward: rank");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    check(weight.size(1) == in, "linear_backward: weight does not fit x");
    check(grad_y.shape() == Shape{B, T, out}, "linear_backward: grad_y does not fit");
    check(grad_weight.shape() == Shape{out, in} && grad_bias.shape() == Shape{out}, "linear_backward: gradients");

    for (Index o = 0; o < out; ++o) {
        double of_bias = 0;
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) of_bias += grad_y(b, t, o);
        grad_bias(o) += static_cast<float>(of_bias);
        for (Index i = 0; i < in; ++i) {
            double of_weight = 0;
            for (Index b = 0; b < B; ++b)
                for (Index t = 0; t < T; ++t) of_weight += double(grad_y(b, t, o)) * x(b, t, i);
            grad_weight(o, i) += static_cast<float>(of_weight);
        }
    }
    Tensor grad_x = Tensor::zeros({B, T, in});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < in; ++i) {
                double total = 0;
                for (Index o = 0; o < out; ++o) total += double(grad_y(b, t, o)) * weight(o, i);
                grad_x(b, t, i) = static_cast<float>(total);
            }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    check(x.rank() == 3, "multi_head_attention_backward: x is (B, T, D)");
    const Index D = x.size(2);
    check(num_heads >= 1, "multi_head_attention_backward: at least one head");
    check(D % num_heads == 0, "multi_head_attention_backward: D is not divisible by num_heads");
    check(grad_y.shape() == x.shape(), "multi_head_attention_backward: grad_y does not fit x");
    const Parameters& p = parameters;
    for (const Tensor* weight : {&p.q_weight, &p.k_weight, &p.v_weight, &p.out_weight})
        check(weight->shape() == Shape{D, D}, "multi_head_attention_backward: weights are (D, D)");
    for (const Tensor* bias : {&p.q_bias, &p.k_bias, &p.v_bias, &p.out_bias})
        check(bias->shape() == Shape{D}, "multi_head_attention_backward: biases are (D)");

    const Tensor q = given::split_heads(linear(x, p.q_weight, p.q_bias), num_heads);
    const Tensor k = given::split_heads(linear(x, p.k_weight, p.k_bias), num_heads);
    const Tensor v = given::split_heads(linear(x, p.v_weight, p.v_bias), num_heads);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);

    const Tensor grad_merged = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients heads = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    const Tensor through_q = linear_backward(x, p.q_weight, given::merge_heads(heads.k), grads.q_weight, grads.q_bias);
    const Tensor through_k = linear_backward(x, p.k_weight, given::merge_heads(heads.k), grads.k_weight, grads.k_bias);
    const Tensor through_v = linear_backward(x, p.v_weight, given::merge_heads(heads.v), grads.v_weight, grads.v_bias);
    return through_q + through_k + through_v;
}

}  // namespace headway::ex07
