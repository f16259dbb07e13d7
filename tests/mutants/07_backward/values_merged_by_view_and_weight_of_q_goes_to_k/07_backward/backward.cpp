#include "backward.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex07 {
namespace {

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    require(weights.rank() == 4 && weights.shape() == grad_weights.shape(), "softmax_backward: shapes");
    const Tensor mean = sum(weights * grad_weights, -1, KeepAxis::yes);
    return weights * (grad_weights - mean);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && grad_context.rank() == 4, "attention_backward: ranks");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), d_v = v.size(3);
    require(k.shape() == Shape({B, H, S, d}), "attention_backward: k");
    require(v.shape() == Shape({B, H, S, d_v}), "attention_backward: v");
    require(grad_context.shape() == Shape({B, H, T, d_v}), "attention_backward: grad_context");
    if (mask.defined()) (void)mask.expand({B, H, T, S});

    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    const float scale = 1 / std::sqrt(static_cast<float>(d));

    AttentionGradients grads;
    grads.v = matmul(weights.transpose(-2, -1), grad_context);
    const Tensor grad_weights = matmul(grad_context, v.transpose(-2, -1));
    const Tensor grad_scores = softmax_backward(weights, grad_weights) * scale;
    grads.q = matmul(grad_scores, k);
    grads.k = matmul(grad_scores.transpose(-2, -1), q);
    return grads;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    require(x.rank() == 3 && grad_y.rank() == 3 && weight.rank() == 2, "linear_backward: ranks");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    require(weight.size(1) == in, "linear_backward: weight");
    require(grad_y.shape() == Shape({B, T, out}), "linear_backward: grad_y");
    require(grad_weight.shape() == weight.shape(), "linear_backward: grad_weight");
    require(grad_bias.shape() == Shape({out}), "linear_backward: grad_bias");

    const Tensor rows_x = x.contiguous().view({B * T, in});
    const Tensor rows_y = grad_y.contiguous().view({B * T, out});
    grad_weight += matmul(rows_y.transpose(0, 1), rows_x);
    grad_bias += sum(rows_y, 0);
    return matmul(grad_y, weight);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    require(x.rank() == 3, "multi_head_attention_backward: x");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    require(num_heads >= 1 && D % num_heads == 0, "multi_head_attention_backward: num_heads");
    require(grad_y.shape() == x.shape(), "multi_head_attention_backward: grad_y");
    for (const Parameters* p : {&parameters, static_cast<const Parameters*>(&grads)}) {
        for (const Tensor* w : {&p->q_weight, &p->k_weight, &p->v_weight, &p->out_weight})
            require(w->shape() == Shape({D, D}), "multi_head_attention_backward: a weight");
        for (const Tensor* b : {&p->q_bias, &p->k_bias, &p->v_bias, &p->out_bias})
            require(b->shape() == Shape({D}), "multi_head_attention_backward: a bias");
    }
    if (mask.defined()) (void)mask.expand({B, num_heads, T, T});

    const auto project = [&](const Tensor& weight, const Tensor& bias) {
        return given::split_heads(matmul(x, weight.transpose(0, 1)) + bias, num_heads);
    };
    const Tensor q = project(parameters.q_weight, parameters.q_bias);
    const Tensor k = project(parameters.k_weight, parameters.k_bias);
    const Tensor v = project(parameters.v_weight, parameters.v_bias);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(q, k, v, mask));

    const Tensor grad_merged = linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients inner = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    const Tensor grad_q = given::merge_heads(inner.q);
    const Tensor grad_k = given::merge_heads(inner.k);
    const Tensor grad_v = inner.v.contiguous().view({B, T, D});
    Tensor grad_x = linear_backward(x, parameters.q_weight, grad_q, grads.k_weight, grads.q_bias);
    grad_x += linear_backward(x, parameters.k_weight, grad_k, grads.k_weight, grads.k_bias);
    grad_x += linear_backward(x, parameters.v_weight, grad_v, grads.v_weight, grads.v_bias);
    return grad_x;
}

}  // namespace headway::ex07
