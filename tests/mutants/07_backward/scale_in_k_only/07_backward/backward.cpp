#include "backward.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex07 {
namespace {

void same(const Shape& a, const Shape& b, const std::string& what) {
    if (a != b) throw std::invalid_argument(what + ": " + to_string(a) + " and " + to_string(b));
}

Tensor transposed(const Tensor& x) { return x.transpose(-2, -1); }

Tensor project(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return matmul(x, transposed(weight)) + bias;
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    same(weights.shape(), grad_weights.shape(), "softmax_backward");
    const Tensor product = weights * grad_weights;
    return product - weights * sum(product, -1, KeepAxis::yes);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const auto forward = given::scaled_dot_product_attention(q, k, v, mask);
    same(forward.context.shape(), grad_context.shape(), "attention_backward");
    const float root = std::sqrt(static_cast<float>(q.size(-1)));
    const Tensor d_weights = matmul(grad_context, transposed(v));
    const Tensor d_scores = softmax_backward(forward.weights, d_weights);
    AttentionGradients grad;
    grad.v = matmul(transposed(forward.weights), grad_context);
    grad.q = matmul(d_scores, k);
    grad.k = matmul(transposed(d_scores), q) / root;
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    same(x.shape(), {grad_y.size(0), grad_y.size(1), weight.size(1)}, "linear_backward, x");
    same(grad_y.shape(), {x.size(0), x.size(1), weight.size(0)}, "linear_backward, grad_y");
    const Tensor per_sequence = matmul(transposed(grad_y), x);  // (B, out, in)
    grad_weight = grad_weight + sum(per_sequence, 0);
    grad_bias = grad_bias + sum(sum(grad_y, 0), 0);
    return matmul(grad_y, weight);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    same(x.shape(), grad_y.shape(), "multi_head_attention_backward");
    const Tensor q = given::split_heads(project(x, p.q_weight, p.q_bias), num_heads);
    const Tensor k = given::split_heads(project(x, p.k_weight, p.k_bias), num_heads);
    const Tensor v = given::split_heads(project(x, p.v_weight, p.v_bias), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    const Tensor grad_merged =
        linear_backward(given::merge_heads(context), p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const Tensor grad_context = given::split_heads(grad_merged, num_heads);
    const auto grad = attention_backward(q, k, v, mask, grad_context);
    const Tensor through_q = linear_backward(x, p.q_weight, given::merge_heads(grad.q), grads.q_weight, grads.q_bias);
    const Tensor through_k = linear_backward(x, p.k_weight, given::merge_heads(grad.k), grads.k_weight, grads.k_bias);
    const Tensor through_v = linear_backward(x, p.v_weight, given::merge_heads(grad.v), grads.v_weight, grads.v_bias);
    return through_q + through_k + through_v;
}

}  // namespace headway::ex07
