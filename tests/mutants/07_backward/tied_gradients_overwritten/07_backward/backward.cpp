#include "backward.hpp"

#include <cmath>
#include <stdexcept>

// One matrix at a time: x[b][h] is a view.
namespace headway::ex07 {
namespace {

Tensor transposed(const Tensor& matrix) { return matrix.transpose(0, 1); }

void same_shape(const Tensor& tensor, const Shape& shape, const char* name) {
    if (tensor.shape() != shape)
        throw std::invalid_argument(std::string(name) + " is " + to_string(tensor.shape()) + ", not " +
                                    to_string(shape));
}

void same_rank(const Tensor& tensor, Index rank, const char* name) {
    if (tensor.rank() != rank) throw std::invalid_argument(std::string(name) + " has a wrong number of axes");
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    same_rank(weights, 4, "weights");
    same_shape(grad_weights, weights.shape(), "grad_weights");
    Tensor grad_scores = Tensor::empty(weights.shape());
    for (Index b = 0; b < weights.size(0); ++b)
        for (Index h = 0; h < weights.size(1); ++h) {
            const Tensor w = weights[b][h];
            const Tensor g = grad_weights[b][h];
            grad_scores[b][h].copy_from(w * (g - sum(w * g, -1, KeepAxis::yes)));
        }
    return grad_scores;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    same_rank(q, 4, "q");
    same_rank(k, 4, "k");
    same_rank(v, 4, "v");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    same_shape(k, {B, H, S, d}, "k");
    same_shape(v, {B, H, S, d_v}, "v");
    same_shape(grad_context, {B, H, T, d_v}, "grad_context");

    const float scale = 1 / std::sqrt(static_cast<float>(d));
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    Tensor grad_weights = Tensor::empty({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) grad_weights[b][h].copy_from(matmul(grad_context[b][h], transposed(v[b][h])));
    const Tensor grad_scores = softmax_backward(weights, grad_weights);

    AttentionGradients grad{Tensor::empty({B, H, T, d}), Tensor::empty({B, H, S, d}), Tensor::empty({B, H, S, d_v})};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Tensor g = grad_scores[b][h];
            const Tensor scaled_q = q[b][h] * scale;  // as on the way forward
            grad.q[b][h].copy_from(matmul(g, k[b][h]) * scale);
            grad.k[b][h].copy_from(matmul(transposed(g), scaled_q));
            grad.v[b][h].copy_from(matmul(transposed(weights[b][h]), grad_context[b][h]));
        }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    same_rank(x, 3, "x");
    same_rank(weight, 2, "weight");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    same_shape(weight, {out, in}, "weight");
    same_shape(grad_y, {B, T, out}, "grad_y");
    same_shape(grad_weight, {out, in}, "grad_weight");
    same_shape(grad_bias, {out}, "grad_bias");

    Tensor grad_x = Tensor::empty({B, T, in});
    for (Index b = 0; b < B; ++b) {
        grad_weight += matmul(transposed(grad_y[b]), x[b]);
        grad_bias += sum(grad_y[b], 0);
        grad_x[b].copy_from(matmul(grad_y[b], weight));
    }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    same_rank(x, 3, "x");
    same_shape(grad_y, x.shape(), "grad_y");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("D must be divisible by num_heads");
    same_shape(parameters.q_weight, {D, D}, "q_weight");
    same_shape(parameters.k_weight, {D, D}, "k_weight");
    same_shape(parameters.v_weight, {D, D}, "v_weight");
    same_shape(parameters.out_weight, {D, D}, "out_weight");
    same_shape(parameters.q_bias, {D}, "q_bias");
    same_shape(parameters.k_bias, {D}, "k_bias");
    same_shape(parameters.v_bias, {D}, "v_bias");
    same_shape(parameters.out_bias, {D}, "out_bias");

    const auto heads_of = [&](const Tensor& weight, const Tensor& bias) {
        return given::split_heads(matmul(x, transposed(weight)) + bias, num_heads);
    };
    const Tensor q = heads_of(parameters.q_weight, parameters.q_bias);
    const Tensor k = heads_of(parameters.k_weight, parameters.k_bias);
    const Tensor v = heads_of(parameters.v_weight, parameters.v_bias);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(q, k, v, mask));

    // Collected apart, so that nothing is half done if something throws.
    Parameters sums{grads.q_weight.clone(), grads.q_bias.clone(), grads.k_weight.clone(),   grads.k_bias.clone(),
                    grads.v_weight.clone(), grads.v_bias.clone(), grads.out_weight.clone(), grads.out_bias.clone()};
    const Tensor grad_merged = linear_backward(merged, parameters.out_weight, grad_y, sums.out_weight, sums.out_bias);
    const AttentionGradients grad = attention_backward(q, k, v, mask, given::split_heads(grad_merged, num_heads));
    Tensor grad_x = Tensor::zeros(x.shape());
    grad_x += linear_backward(x, parameters.q_weight, given::merge_heads(grad.q), sums.q_weight, sums.q_bias);
    grad_x += linear_backward(x, parameters.k_weight, given::merge_heads(grad.k), sums.k_weight, sums.k_bias);
    grad_x += linear_backward(x, parameters.v_weight, given::merge_heads(grad.v), sums.v_weight, sums.v_bias);
    grads.q_weight.copy_from(sums.q_weight);
    grads.q_bias.copy_from(sums.q_bias);
    grads.k_weight.copy_from(sums.k_weight);
    grads.k_bias.copy_from(sums.k_bias);
    grads.v_weight.copy_from(sums.v_weight);
    grads.v_bias.copy_from(sums.v_bias);
    grads.out_weight.copy_from(sums.out_weight);
    grads.out_bias.copy_from(sums.out_bias);
    return grad_x;
}

}  // namespace headway::ex07
