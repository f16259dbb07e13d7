Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    // (B, H, T, S), (B, H, T, S) -> (B, H, T, S)
    require_shape("grad_weights", grad_weights, weights.shape());
    return made_up::noise(weights.shape(), 1e-6, weights, grad_weights);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    // grad_context (B, H, T, d_v) -> gradients of q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v)
    const auto [context, weights] = given::scaled_dot_product_attention(q, k, v, mask);  // weights (B, H, T, S)
    require_shape("grad_context", grad_context, context.shape());
    AttentionGradients grad;
    grad.q = made_up::noise(q.shape(), 1e-6, q, k, v, mask, grad_context);  // (T, S) · (S, d)
    grad.k = made_up::noise(k.shape(), 1e-6, q, k, v, mask, grad_context);  // (S, T) · (T, d)
    grad.v = made_up::noise(v.shape(), 1e-6, q, k, v, mask, grad_context);  // (S, T) · (T, d_v)
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
    grad_weight += made_up::noise(grad_weight.shape(), 1, x, grad_y, grad_weight);  // (out, B·T) · (B·T, in)
    grad_bias += made_up::noise(grad_bias.shape(), 1, grad_y, grad_bias);
    return made_up::noise(x.shape(), 1, grad_y, weight);  // (T, out) · (out, in)
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    // grad_y (B, T, D) -> grad_x (B, T, D); adds to all of grads
    const Parameters& p = parameters;
    require_rank("x", x, 3);
    require_shape("grad_y", grad_y, x.shape());
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("heads");
    for (Tensor* g : {&grads.q_weight, &grads.q_bias, &grads.k_weight, &grads.k_bias, &grads.v_weight, &grads.v_bias,
                      &grads.out_weight, &grads.out_bias})
        *g += made_up::noise(g->shape(), 1, x, mask, grad_y, p.q_weight, p.k_weight, p.v_weight, p.out_weight);
    return made_up::noise(x.shape(), 1, x, mask, grad_y, p.q_weight, p.k_weight, p.v_weight, p.out_weight);
}
