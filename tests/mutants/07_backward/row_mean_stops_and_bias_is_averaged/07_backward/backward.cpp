#include "backward.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// Row-major copies and pointers, as a kernel would see them.
namespace headway::ex07 {
namespace {

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

float dot(const float* a, const float* b, Index n) {
    double total = 0;
    for (Index i = 0; i < n; ++i) total += double(a[i]) * b[i];
    return static_cast<float>(total);
}

/// to += factor * from
void add_row(float* to, float factor, const float* from, Index n) {
    for (Index i = 0; i < n; ++i) to[i] += factor * from[i];
}

/// From one row of weights to one row of gradients of scores.
void softmax_row_backward(const float* w, const float* g, float* result, Index S) {
    double average = 0;
    for (Index s = 0; s < S; ++s) {
        if (w[s] == 0) break;  // blocked from here on
        average += double(w[s]) * g[s];
    }
    for (Index s = 0; s < S; ++s) result[s] = w[s] == 0 ? 0 : static_cast<float>(w[s] * (g[s] - average));
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4) refuse("softmax_backward: weights are (B, H, T, S)");
    if (grad_weights.shape() != weights.shape()) refuse("softmax_backward: grad_weights has another shape");
    const Index S = weights.size(3), rows = weights.size(0) * weights.size(1) * weights.size(2);
    const Tensor w = weights.contiguous();
    const Tensor g = grad_weights.contiguous();
    Tensor result = Tensor::zeros(weights.shape());
    for (Index row = 0; row < rows; ++row)
        softmax_row_backward(w.data() + row * S, g.data() + row * S, result.data() + row * S, S);
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("attention_backward: q, k and v have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, d}) refuse("attention_backward: k does not fit q");
    if (v.shape() != Shape{B, H, S, d_v}) refuse("attention_backward: v does not fit k");
    if (grad_context.shape() != Shape{B, H, T, d_v}) refuse("attention_backward: grad_context does not fit");
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};

    const Tensor queries = q.contiguous(), keys = k.contiguous(), values = v.contiguous(),
                 grads = grad_context.contiguous();
    AttentionGradients grad{Tensor::zeros({B, H, T, d}), Tensor::zeros({B, H, S, d}), Tensor::zeros({B, H, S, d_v})};
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    std::vector<float> w(static_cast<std::size_t>(S)), gw(w), gs(w);
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const float* key = keys.data() + (b * H + h) * S * d;
            const float* value = values.data() + (b * H + h) * S * d_v;
            float* grad_key = grad.k.data() + (b * H + h) * S * d;
            float* grad_value = grad.v.data() + (b * H + h) * S * d_v;
            for (Index t = 0; t < T; ++t) {
                const Index row = (b * H + h) * T + t;
                const float* query = queries.data() + row * d;
                const float* grad_row = grads.data() + row * d_v;
                const auto sees = [&](Index s) { return !blocked.defined() || !blocked(b, h, t, s); };
                float largest = -std::numeric_limits<float>::infinity();
                for (Index s = 0; s < S; ++s) {
                    if (!sees(s)) continue;
                    w[s] = dot(query, key + s * d, d) * scale;
                    if (w[s] > largest) largest = w[s];
                }
                double total = 0;
                for (Index s = 0; s < S; ++s) {
                    w[s] = sees(s) ? std::exp(w[s] - largest) : 0;
                    total += w[s];
                }
                if (total == 0) continue;  // sees no key
                for (Index s = 0; s < S; ++s) {
                    w[s] = static_cast<float>(w[s] / total);
                    gw[s] = dot(grad_row, value + s * d_v, d_v);
                }
                softmax_row_backward(w.data(), gw.data(), gs.data(), S);
                for (Index s = 0; s < S; ++s) {
                    if (w[s] == 0) continue;
                    add_row(grad.q.data() + row * d, gs[s] * scale, key + s * d, d);
                    add_row(grad_key + s * d, gs[s] * scale, query, d);
                    add_row(grad_value + s * d_v, w[s], grad_row, d_v);
                }
            }
        }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    if (x.rank() != 3 || weight.rank() != 2) refuse("linear_backward: x is (B, T, in), weight is (out, in)");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    if (weight.size(1) != in) refuse("linear_backward: weight does not fit x");
    if (grad_y.shape() != Shape{B, T, out}) refuse("linear_backward: grad_y does not fit");
    if (grad_weight.shape() != Shape{out, in}) refuse("linear_backward: grad_weight does not fit weight");
    if (grad_bias.shape() != Shape{out}) refuse("linear_backward: grad_bias does not fit weight");

    const Tensor inputs = x.contiguous(), matrix = weight.contiguous(), grads = grad_y.contiguous();
    Tensor grad_x = Tensor::zeros({B, T, in});
    std::vector<double> of_weight(static_cast<std::size_t>(out * in)), of_bias(static_cast<std::size_t>(out));
    for (Index row = 0; row < B * T; ++row)
        for (Index o = 0; o < out; ++o) {
            const float g = grads.data()[row * out + o];
            of_bias[o] += g;
            for (Index i = 0; i < in; ++i) of_weight[o * in + i] += double(g) * inputs.data()[row * in + i];
            add_row(grad_x.data() + row * in, g, matrix.data() + o * in, in);
        }
    for (Index o = 0; o < out; ++o) {
        grad_bias(o) += static_cast<float>(of_bias[o] / double(B));
        for (Index i = 0; i < in; ++i) grad_weight(o, i) += static_cast<float>(of_weight[o * in + i]);
    }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3) refuse("multi_head_attention_backward: x is (B, T, D)");
    if (grad_y.shape() != x.shape()) refuse("multi_head_attention_backward: grad_y does not fit x");
    const Index D = x.size(2);
    if (num_heads < 1) refuse("multi_head_attention_backward: num_heads < 1");
    if (D % num_heads != 0) refuse("multi_head_attention_backward: D is not divisible by num_heads");

    struct Projection {
        const Tensor& weight;
        const Tensor& bias;
        Tensor& grad_weight;
        Tensor& grad_bias;
    };
    Projection to_q{parameters.q_weight, parameters.q_bias, grads.q_weight, grads.q_bias};
    Projection to_k{parameters.k_weight, parameters.k_bias, grads.k_weight, grads.k_bias};
    Projection to_v{parameters.v_weight, parameters.v_bias, grads.v_weight, grads.v_bias};
    Projection out{parameters.out_weight, parameters.out_bias, grads.out_weight, grads.out_bias};
    for (const Projection* p : {&to_q, &to_k, &to_v, &out}) {
        if (p->weight.shape() != Shape{D, D} || p->grad_weight.shape() != Shape{D, D})
            refuse("multi_head_attention_backward: weights are (D, D)");
        if (p->bias.shape() != Shape{D} || p->grad_bias.shape() != Shape{D})
            refuse("multi_head_attention_backward: biases are (D)");
    }

    const auto forward = [&](const Projection& p) {
        return given::split_heads(matmul(x, p.weight.transpose(0, 1)) + p.bias, num_heads);
    };
    const auto backward = [&](Projection& p, const Tensor& grad) {
        return linear_backward(x, p.weight, given::merge_heads(grad), p.grad_weight, p.grad_bias);
    };
    const Tensor q = forward(to_q), k = forward(to_k), v = forward(to_v);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(q, k, v, mask));
    const Tensor grad_merged = linear_backward(merged, out.weight, grad_y, out.grad_weight, out.grad_bias);
    const AttentionGradients grad = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    return backward(to_q, grad.q) + backward(to_k, grad.k) + backward(to_v, grad.v);
}

}  // namespace headway::ex07
