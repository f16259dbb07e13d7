#include "backward.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headway::ex07 {

namespace {
void check_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, const Tensor& grad_context) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || grad_context.rank() != 4 || q.size(0) != k.size(0) ||
        q.size(1) != k.size(1) || q.size(3) != k.size(3) || v.size(0) != k.size(0) || v.size(1) != k.size(1) ||
        v.size(2) != k.size(2) || grad_context.shape() != Shape{q.size(0), q.size(1), q.size(2), v.size(3)})
        throw std::invalid_argument("attention_backward: shapes do not fit");
    if (mask.defined()) mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)});
}
}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4 || weights.shape() != grad_weights.shape()) throw std::invalid_argument("shapes differ");
    return weights * (grad_weights - sum(weights * grad_weights, -1, KeepAxis::yes));
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    check_attention(q, k, v, mask, grad_context);
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    const Tensor gv = matmul(weights.transpose(-2, -1), grad_context);
    const Tensor gs =
        softmax_backward(weights, matmul(grad_context, v.transpose(-2, -1))) / std::sqrt(static_cast<float>(q.size(3)));
    return {matmul(gs, k), matmul(gs.transpose(-2, -1), q), gv};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    Tensor mine = x;
    mine *= -1.0F;
    if (x.rank() != 3 || weight.rank() != 2 || grad_y.rank() != 3 || x.size(2) != weight.size(1) ||
        grad_y.size(2) != weight.size(0) || x.size(0) != grad_y.size(0) || x.size(1) != grad_y.size(1) ||
        grad_weight.shape() != weight.shape() || grad_bias.shape() != Shape{weight.size(0)})
        throw std::invalid_argument("linear_backward: shapes do not fit");
    mine *= -1.0F;
    const Index n = x.size(0) * x.size(1);
    const Tensor flat_x = x.contiguous().view({n, x.size(2)});
    const Tensor flat_y = grad_y.contiguous().view({n, grad_y.size(2)});
    grad_weight += matmul(flat_y.transpose(0, 1), flat_x);
    grad_bias += sum(flat_y, 0);
    return matmul(grad_y, weight);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3 || x.shape() != grad_y.shape() || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("x, grad_y or num_heads");
    const Index D = x.size(2);
    for (const Tensor* w :
         std::vector<const Tensor*>{&p.q_weight, &p.k_weight, &p.v_weight, &p.out_weight, &grads.q_weight,
                                    &grads.k_weight, &grads.v_weight, &grads.out_weight})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("a weight does not fit");
    for (const Tensor* b : std::vector<const Tensor*>{&p.q_bias, &p.k_bias, &p.v_bias, &p.out_bias, &grads.q_bias,
                                                      &grads.k_bias, &grads.v_bias, &grads.out_bias})
        if (b->shape() != Shape{D}) throw std::invalid_argument("a bias does not fit");
    const auto project = [&](const Tensor& w, const Tensor& b) {
        return given::split_heads(matmul(x, w.transpose(0, 1)) + b, num_heads);
    };
    const Tensor q = project(p.q_weight, p.q_bias), k = project(p.k_weight, p.k_bias),
                 v = project(p.v_weight, p.v_bias);
    if (mask.defined()) mask.expand({x.size(0), num_heads, x.size(1), x.size(1)});
    const Tensor merged = given::merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    const Tensor gm = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g = attention_backward(q, k, v, mask, given::split_heads(gm.contiguous(), num_heads));
    return linear_backward(x, p.q_weight, given::merge_heads(g.q), grads.q_weight, grads.q_bias) +
           linear_backward(x, p.k_weight, given::merge_heads(g.k), grads.k_weight, grads.k_bias) +
           linear_backward(x, p.v_weight, given::merge_heads(g.v), grads.v_weight, grads.v_bias);
}

}  // namespace headway::ex07
