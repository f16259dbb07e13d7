#include "backward.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex07 {
namespace {

void require_shape(const std::string& name, const Tensor& tensor, const Shape& expected) {
    if (tensor.shape() != expected)
        throw std::invalid_argument(name + " is " + to_string(tensor.shape()) + "; it must be " + to_string(expected));
}

void require_rank(const std::string& name, const Tensor& tensor, Index rank) {
    if (tensor.rank() != rank)
        throw std::invalid_argument(name + " " + to_string(tensor.shape()) + " must have " + std::to_string(rank) +
                                    " axes");
}

/// (B, T, width) -> (B·T, width): for a Linear, tokens of all sequences are rows alike.
Tensor rows_of(const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}); }

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return matmul(x, weight.transpose(0, 1)) + bias;
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    // (B, H, T, S), (B, H, T, S) -> (B, H, T, S)
    require_shape("grad_weights", grad_weights, weights.shape());
    const Tensor mean = sum(weights * grad_weights, -1, KeepAxis::yes);  // (B, H, T, 1)
    return weights * (grad_weights - mean);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    // grad_context (B, H, T, d_v) -> gradients of q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v)
    const auto [context, weights] = given::scaled_dot_product_attention(q, k, v, mask);  // weights (B, H, T, S)
    require_shape("grad_context", grad_context, context.shape());
    const Tensor grad_weights = matmul(grad_context, v.transpose(-2, -1));  // (T, d_v) · (d_v, S)
    const Tensor grad_scores = softmax_backward(weights, grad_weights);     // 0 where blocked, as the weights are
    const Tensor scaled = grad_scores / std::sqrt(static_cast<float>(q.size(3)));
    AttentionGradients grad;
    grad.q = matmul(scaled, k);                                // (T, S) · (S, d)
    grad.k = matmul(scaled.transpose(-2, -1), q);              // (S, T) · (T, d)
    grad.v = matmul(weights.transpose(-2, -1), grad_context);  // (S, T) · (T, d_v)
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    // grad_y (B, T, out) -> grad_x (B, T, in); adds to grad_weight (out, in) and grad_bias (out)
    require_rank("x", x, 3);
    require_rank("weight", weight, 2);
    const Index out = weight.size(0), in = weight.size(1);
    require_shape("x", x, {x.size(0), x.size(1), in});
    require_shape("grad_y", grad_y, {x.size(0), x.size(1), out});
    require_shape("grad_weight", grad_weight, weight.shape());
    require_shape("grad_bias", grad_bias, {out});
    grad_weight += matmul(rows_of(grad_y).transpose(0, 1), rows_of(x));  // (out, B·T) · (B·T, in)
    grad_bias += sum(rows_of(grad_y), 0);
    return matmul(grad_y, weight);  // (T, out) · (out, in)
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    // grad_y (B, T, D) -> grad_x (B, T, D); adds to all of grads
    const Parameters& p = parameters;
    require_rank("x", x, 3);
    require_shape("grad_y", grad_y, x.shape());
    // Forward, for what the gradients need of it.
    const Tensor q = given::split_heads(linear(x, p.q_weight, p.q_bias), num_heads);  // (B, H, T, d)
    const Tensor k = given::split_heads(linear(x, p.k_weight, p.k_bias), num_heads);  // (B, H, T, d)
    const Tensor v = given::split_heads(linear(x, p.v_weight, p.v_bias), num_heads);  // (B, H, T, d)
    const Tensor merged = given::merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    // And back, in the opposite order: splitting is the gradient of merging, and merging that of splitting.
    const Tensor grad_merged = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const auto grad = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    return linear_backward(x, p.q_weight, given::merge_heads(grad.q), grads.q_weight, grads.q_bias) +
           linear_backward(x, p.k_weight, given::merge_heads(grad.k), grads.k_weight, grads.k_bias) +
           linear_backward(x, p.v_weight, given::merge_heads(grad.v), grads.v_weight, grads.v_bias);
}

}  // namespace headway::ex07
