// Short: the library does the work. The row's mean comes from the context (grad_context · context), as FlashAttention
// has it, and 1/sqrt(d) is put into k and q before the products.
#include "backward.hpp"

#include <stdexcept>

namespace headway::ex07 {

static void same(const Shape& a, const Shape& b, const std::string& what) {
    if (a != b) throw std::invalid_argument(what);
}

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4) throw std::invalid_argument("softmax_backward: weights");
    same(weights.shape(), grad_weights.shape(), "softmax_backward: shapes differ");
    Tensor pulled = weights * grad_weights;
    return pulled - weights * sum(pulled, -1, KeepAxis::yes);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    for (const Tensor* t : {&q, &k, &v, &grad_context})
        if (t->rank() != 4) throw std::invalid_argument("attention_backward: rank");
    same(k.shape(), {q.size(0), q.size(1), k.size(2), q.size(3)}, "attention_backward: k");
    same(v.shape(), {q.size(0), q.size(1), k.size(2), v.size(3)}, "attention_backward: v");
    same(grad_context.shape(), {q.size(0), q.size(1), q.size(2), v.size(3)}, "attention_backward: grad_context");

    const float root = std::sqrt(static_cast<float>(q.size(-1)));
    auto [context, w] = given::scaled_dot_product_attention(q, k, v, mask);
    const Tensor delta = sum(grad_context * context, -1, KeepAxis::yes);  // (B, H, T, 1)
    Tensor gs = w;
    gs *= matmul(grad_context, v.transpose(-2, -1)) - delta;
    return {.q = matmul(gs, k / root),
            .k = matmul(gs.transpose(-2, -1), q / root),
            .v = matmul(w.transpose(-2, -1), grad_context)};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    if (x.rank() != 3 || weight.rank() != 2) throw std::invalid_argument("linear_backward: rank");
    same(weight.shape(), {weight.size(0), x.size(2)}, "linear_backward: weight");
    same(grad_y.shape(), {x.size(0), x.size(1), weight.size(0)}, "linear_backward: grad_y");
    same(grad_weight.shape(), weight.shape(), "linear_backward: grad_weight");
    same(grad_bias.shape(), {weight.size(0)}, "linear_backward: grad_bias");
    // (B, out, T) · (B, T, in), then over the batch
    grad_weight += sum(matmul(grad_y.transpose(1, 2), x), 0);
    grad_bias += sum(sum(grad_y, 1), 0);
    return matmul(grad_y, weight);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention_backward: x");
    const Index D = x.size(2);
    same(grad_y.shape(), x.shape(), "multi_head_attention_backward: grad_y");
    if (num_heads < 1 || D % num_heads) throw std::invalid_argument("multi_head_attention_backward: num_heads");
    for (const Parameters* all : {&p, static_cast<const Parameters*>(&grads)}) {
        for (const Tensor* w : {&all->q_weight, &all->k_weight, &all->v_weight, &all->out_weight})
            same(w->shape(), {D, D}, "multi_head_attention_backward: a weight");
        for (const Tensor* b : {&all->q_bias, &all->k_bias, &all->v_bias, &all->out_bias})
            same(b->shape(), {D}, "multi_head_attention_backward: a bias");
    }
    const auto heads = [&](const Tensor& w, const Tensor& b) {
        return given::split_heads(matmul(x, w.transpose(0, 1)) + b, num_heads);
    };
    const Tensor q = heads(p.q_weight, p.q_bias);
    const Tensor k = heads(p.k_weight, p.k_bias);
    const Tensor v = heads(p.v_weight, p.v_bias);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(q, k, v, mask));
    const Tensor gm = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const auto [gq, gk, gv] = attention_backward(q, k, v, mask, given::split_heads(gm, num_heads));
    return linear_backward(x, p.q_weight, given::merge_heads(gq), grads.q_weight, grads.q_bias) +
           linear_backward(x, p.k_weight, given::merge_heads(gk), grads.k_weight, grads.k_bias) +
           linear_backward(x, p.v_weight, given::merge_heads(gv), grads.v_weight, grads.v_bias);
}

}  // namespace headway::ex07
