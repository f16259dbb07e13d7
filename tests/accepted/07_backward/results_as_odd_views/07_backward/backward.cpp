// The usual way, with the library; results returned as odd views (transposed strides, one storage).
#include "backward.hpp"

#include <stdexcept>

namespace headway::ex07 {

static void fit(bool yes) {
    if (!yes) throw std::invalid_argument("headway::ex07: shapes do not fit");
}

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    fit(weights.rank() == 4 && weights.shape() == grad_weights.shape());
    const Tensor mean = sum(weights * grad_weights, -1, KeepAxis::yes);
    return weights * (grad_weights - mean);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    fit(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && grad_context.rank() == 4);
    fit(q.size(0) == k.size(0) && q.size(0) == v.size(0) && q.size(1) == k.size(1) && q.size(1) == v.size(1));
    fit(q.size(3) == k.size(3) && k.size(2) == v.size(2));
    fit(grad_context.shape() == Shape{q.size(0), q.size(1), q.size(2), v.size(3)});
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    const Tensor grad_v = matmul(weights.transpose(-2, -1), grad_context);
    const Tensor grad_weights = matmul(grad_context, v.transpose(-2, -1));
    const Tensor grad_scores = softmax_backward(weights, grad_weights) / std::sqrt(static_cast<float>(q.size(-1)));
    const Tensor grad_q = matmul(grad_scores, k);
    const Tensor grad_k_t = matmul(q.transpose(-2, -1), grad_scores);  // (B, H, d, S)
    return {grad_q, grad_k_t.transpose(-2, -1), grad_v};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    fit(x.rank() == 3 && weight.rank() == 2 && grad_y.rank() == 3);
    const Index out = weight.size(0), in = weight.size(1);
    fit(x.size(2) == in && grad_y.shape() == Shape{x.size(0), x.size(1), out});
    fit(grad_weight.shape() == weight.shape() && grad_bias.shape() == Shape{out});
    const Tensor per_sequence = matmul(grad_y.transpose(1, 2), x);  // (B, out, in)
    grad_weight += sum(per_sequence, 0);
    grad_bias += sum(sum(grad_y, 1), 0);
    return matmul(grad_y, weight);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    fit(x.rank() == 3 && x.shape() == grad_y.shape() && num_heads > 0);
    const Index D = x.size(2);
    fit(D % num_heads == 0);
    for (const Tensor& w : {p.q_weight, p.k_weight, p.v_weight, p.out_weight, grads.q_weight, grads.k_weight,
                            grads.v_weight, grads.out_weight})
        fit(w.shape() == Shape{D, D});
    for (const Tensor& w :
         {p.q_bias, p.k_bias, p.v_bias, p.out_bias, grads.q_bias, grads.k_bias, grads.v_bias, grads.out_bias})
        fit(w.shape() == Shape{D});
    const Tensor q = given::split_heads(matmul(x, p.q_weight.transpose(0, 1)) + p.q_bias, num_heads);
    const Tensor k = given::split_heads(matmul(x, p.k_weight.transpose(0, 1)) + p.k_bias, num_heads);
    const Tensor v = given::split_heads(matmul(x, p.v_weight.transpose(0, 1)) + p.v_bias, num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    const Tensor merged = given::merge_heads(context);
    const Tensor grad_merged = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    const Tensor from_q = linear_backward(x, p.q_weight, given::merge_heads(g.q), grads.q_weight, grads.q_bias);
    const Tensor from_k = linear_backward(x, p.k_weight, given::merge_heads(g.k), grads.k_weight, grads.k_bias);
    const Tensor from_v = linear_backward(x, p.v_weight, given::merge_heads(g.v), grads.v_weight, grads.v_bias);
    return from_q + from_k + from_v;
}

}  // namespace headway::ex07
