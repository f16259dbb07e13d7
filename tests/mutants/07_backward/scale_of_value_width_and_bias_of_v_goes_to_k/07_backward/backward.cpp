#include "backward.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

// Everything in double, in arrays of its own; floats are read at the beginning and written at the end.
namespace headway::ex07 {
namespace {

using Numbers = std::vector<double>;

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

Numbers read(const Tensor& tensor) {
    const Tensor dense = tensor.contiguous();
    return Numbers(dense.data(), dense.data() + dense.numel());
}

Tensor write(const Shape& shape, const Numbers& numbers) {
    Tensor tensor = Tensor::empty(shape);
    std::transform(numbers.begin(), numbers.end(), tensor.data(), [](double x) { return static_cast<float>(x); });
    return tensor;
}

/// (M, K) times (K, N)
Numbers times(const Numbers& a, const Numbers& b, Index M, Index K, Index N) {
    Numbers c(static_cast<std::size_t>(M * N), 0.0);
    for (Index m = 0; m < M; ++m)
        for (Index l = 0; l < K; ++l)
            for (Index n = 0; n < N; ++n) c[m * N + n] += a[m * K + l] * b[l * N + n];
    return c;
}

Numbers turned(const Numbers& a, Index rows, Index cols) {
    Numbers b(a.size());
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < cols; ++c) b[c * rows + r] = a[r * cols + c];
    return b;
}

/// Of `rows` rows of n numbers each.
Numbers through_softmax(const Numbers& weights, const Numbers& grads, Index rows, Index n) {
    Numbers result(weights.size(), 0.0);
    for (Index r = 0; r < rows; ++r) {
        const Index from = r * n, to = from + n;
        double mean = 0;
        for (Index i = from; i < to; ++i) mean += weights[i] == 0 ? 0 : weights[i] * grads[i];
        for (Index i = from; i < to; ++i) result[i] = weights[i] == 0 ? 0 : weights[i] * (grads[i] - mean);
    }
    return result;
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4) refuse("softmax_backward: weights are not (B, H, T, S)");
    if (grad_weights.shape() != weights.shape()) refuse("softmax_backward: grad_weights do not fit");
    const Index S = weights.size(3);
    return write(weights.shape(), through_softmax(read(weights), read(grad_weights), weights.numel() / S, S));
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("attention_backward: q, k, v need four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, d}) refuse("attention_backward: k does not fit q");
    if (v.shape() != Shape{B, H, S, d_v}) refuse("attention_backward: v does not fit k");
    if (grad_context.shape() != Shape{B, H, T, d_v}) refuse("attention_backward: grad_context does not fit");
    Mask blocked;
    if (mask.defined()) blocked = mask.expand({B, H, T, S});

    AttentionGradients all{Tensor::empty(q.shape()), Tensor::empty(k.shape()), Tensor::empty(v.shape())};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Numbers qs = read(q[b][h]), ks = read(k[b][h]), vs = read(v[b][h]), gc = read(grad_context[b][h]);
            Numbers weights = times(qs, turned(ks, S, d), T, d, S);
            for (Index t = 0; t < T; ++t) {
                double largest = -INFINITY, total = 0;
                const auto sees = [&](Index s) { return !blocked.defined() || !blocked(b, h, t, s); };
                for (Index s = 0; s < S; ++s) {
                    weights[t * S + s] /= std::sqrt(static_cast<double>(d));
                    if (sees(s)) largest = std::max(largest, weights[t * S + s]);
                }
                for (Index s = 0; s < S; ++s) {
                    double& weight = weights[t * S + s];
                    weight = sees(s) ? std::exp(weight - largest) : 0.0;
                    total += weight;
                }
                for (Index s = 0; s < S && total > 0; ++s) weights[t * S + s] /= total;
            }
            const Numbers gw = times(gc, turned(vs, S, d_v), T, d_v, S);
            Numbers gs = through_softmax(weights, gw, T, S);
            for (double& number : gs) number /= std::sqrt(static_cast<double>(d_v));
            all.q[b][h].copy_from(write({T, d}, times(gs, ks, T, S, d)));
            all.k[b][h].copy_from(write({S, d}, times(turned(gs, T, S), qs, S, T, d)));
            all.v[b][h].copy_from(write({S, d_v}, times(turned(weights, T, S), gc, S, T, d_v)));
        }
    return all;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    if (x.rank() != 3 || weight.rank() != 2 || x.size(2) != weight.size(1)) refuse("linear_backward: x and weight");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0), N = B * T;
    if (grad_y.shape() != Shape{B, T, out}) refuse("linear_backward: grad_y does not fit");
    if (grad_weight.shape() != Shape{out, in}) refuse("linear_backward: grad_weight does not fit");
    if (grad_bias.shape() != Shape{out}) refuse("linear_backward: grad_bias does not fit");

    const Numbers xs = read(x), gy = read(grad_y);
    const Tensor grad_x = write({B, T, in}, times(gy, read(weight), N, out, in));
    const Numbers gw = times(turned(gy, N, out), xs, out, N, in);
    Numbers gb(static_cast<std::size_t>(out), 0.0);
    for (Index n = 0; n < N; ++n)
        for (Index o = 0; o < out; ++o) gb[o] += gy[n * out + o];
    grad_weight += write({out, in}, gw);
    grad_bias += write({out}, gb);
    return grad_x;
}

namespace {

void fit(const Parameters& p, Index D) {
    const Shape square{D, D};
    for (const Tensor* weight : {&p.q_weight, &p.k_weight, &p.v_weight, &p.out_weight})
        if (weight->shape() != square) refuse("multi_head_attention_backward: a weight does not fit");
    for (const Tensor* bias : {&p.q_bias, &p.k_bias, &p.v_bias, &p.out_bias})
        if (bias->shape() != Shape{D}) refuse("multi_head_attention_backward: a bias does not fit");
}

}  // namespace

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3) refuse("multi_head_attention_backward: x is not (B, T, D)");
    if (grad_y.shape() != x.shape()) refuse("multi_head_attention_backward: grad_y does not fit");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1) refuse("multi_head_attention_backward: no heads");
    if (D % num_heads != 0) refuse("multi_head_attention_backward: D is not divisible");
    fit(parameters, D);
    fit(grads, D);

    const Numbers xs = read(x);
    const auto apply = [&](const Tensor& weight, const Tensor& bias) {
        Numbers y = times(xs, turned(read(weight), D, D), B * T, D, D);
        for (Index i = 0; i < B * T * D; ++i) y[i] += bias(i % D);
        return given::split_heads(write({B, T, D}, y), num_heads);
    };
    const Tensor q = apply(parameters.q_weight, parameters.q_bias);
    const Tensor k = apply(parameters.k_weight, parameters.k_bias);
    const Tensor v = apply(parameters.v_weight, parameters.v_bias);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    const Tensor at_merged = linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const auto at_heads = attention_backward(q, k, v, mask, given::split_heads(at_merged, num_heads));
    Tensor at_x = Tensor::zeros(x.shape());
    at_x += linear_backward(x, parameters.v_weight, given::merge_heads(at_heads.v), grads.v_weight, grads.k_bias);
    at_x += linear_backward(x, parameters.k_weight, given::merge_heads(at_heads.k), grads.k_weight, grads.k_bias);
    at_x += linear_backward(x, parameters.q_weight, given::merge_heads(at_heads.q), grads.q_weight, grads.q_bias);
    return at_x;
}

}  // namespace headway::ex07
