// Number by number, in double; the way forward comes from the given functions.
#include "backward.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex07 {
namespace {

void must(bool fits) {
    if (!fits) throw std::invalid_argument("the shapes do not fit together");
}

/// sum over i < n of term(i)
template <class Term>
float total(Index n, const Term& term) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += term(i);
    return static_cast<float>(sum);
}

/// Calls back with every index of (B, H, rows, columns).
template <class Body>
void everywhere(const Shape& shape, const Body& body) {
    for (Index b = 0; b < shape[0]; ++b)
        for (Index h = 0; h < shape[1]; ++h)
            for (Index row = 0; row < shape[2]; ++row)
                for (Index column = 0; column < shape[3]; ++column) body(b, h, row, column);
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    must(weights.shape() == grad_weights.shape());
    Tensor result = Tensor::empty(weights.shape());
    everywhere(weights.shape(), [&](Index b, Index h, Index t, Index s) {
        const float all = total(weights.size(3), [&](Index i) { return grad_weights(b, h, t, i); });
        result(b, h, t, s) = grad_weights(b, h, t, s) - weights(b, h, t, s) * all;
    });
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const auto forward = given::scaled_dot_product_attention(q, k, v, mask);
    must(grad_context.shape() == forward.context.shape());
    const Index T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    Tensor grad_weights = Tensor::empty(forward.weights.shape());
    everywhere(grad_weights.shape(), [&](Index b, Index h, Index t, Index s) {
        grad_weights(b, h, t, s) = total(d_v, [&](Index i) { return grad_context(b, h, t, i) * v(b, h, s, i); });
    });
    const Tensor grad_scores = softmax_backward(forward.weights, grad_weights) / std::sqrt(static_cast<float>(d));
    AttentionGradients grad{Tensor::empty(q.shape()), Tensor::empty(k.shape()), Tensor::empty(v.shape())};
    everywhere(q.shape(), [&](Index b, Index h, Index t, Index i) {
        grad.q(b, h, t, i) = total(S, [&](Index s) { return grad_scores(b, h, t, s) * k(b, h, s, i); });
    });
    everywhere(k.shape(), [&](Index b, Index h, Index s, Index i) {
        grad.k(b, h, s, i) = total(T, [&](Index t) { return grad_scores(b, h, t, s) * q(b, h, t, i); });
    });
    everywhere(v.shape(), [&](Index b, Index h, Index s, Index i) {
        grad.v(b, h, s, i) = total(T, [&](Index t) { return forward.weights(b, h, t, s) * grad_context(b, h, t, i); });
    });
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    must(x.rank() == 3 && weight.rank() == 2);
    const Index B = x.size(0), T = x.size(1), in = weight.size(1), out = weight.size(0);
    must(x.size(2) == in && grad_y.shape() == Shape{B, T, out});
    must(grad_weight.shape() == weight.shape() && grad_bias.shape() == Shape{out});
    Tensor grad_x = Tensor::empty(x.shape());
    for (Index o = 0; o < out; ++o) {
        grad_bias(o) += total(B * T, [&](Index row) { return grad_y(row / T, row % T, o); });
        for (Index i = 0; i < in; ++i)
            grad_weight(o, i) +=
                total(B * T, [&](Index row) { return grad_y(row / T, row % T, o) * x(row / T, row % T, i); });
    }
    for (Index row = 0; row < B * T; ++row)
        for (Index i = 0; i < in; ++i)
            grad_x(row / T, row % T, i) =
                total(out, [&](Index o) { return grad_y(row / T, row % T, o) * weight(o, i); });
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    must(x.rank() == 3 && grad_y.shape() == x.shape());
    const auto heads = [&](const Tensor& weight, const Tensor& bias) {
        return given::split_heads(matmul(x, weight.transpose(0, 1)) + bias, num_heads);
    };
    const Tensor q = heads(parameters.q_weight, parameters.q_bias);
    const Tensor k = heads(parameters.k_weight, parameters.k_bias);
    const Tensor v = heads(parameters.v_weight, parameters.v_bias);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    const Tensor grad_merged =
        linear_backward(given::merge_heads(context), parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const auto back = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    Tensor grad_x = linear_backward(x, parameters.v_weight, given::merge_heads(back.v), grads.v_weight, grads.v_bias);
    grad_x += linear_backward(x, parameters.k_weight, given::merge_heads(back.k), grads.k_weight, grads.k_bias);
    grad_x += linear_backward(x, parameters.q_weight, given::merge_heads(back.q), grads.q_weight, grads.q_bias);
    return grad_x;
}

}  // namespace headway::ex07
