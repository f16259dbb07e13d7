void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    // k, v (B, H, n, d) into positions [lengths[b], lengths[b] + counts[b]) of (B, H, capacity, d)
    const Index n = k.size(2);
    const Shape expected{cache.k.size(0), cache.k.size(1), n, cache.k.size(3)};
    if (k.shape() != expected || v.shape() != expected)
        refuse("append", "k " + to_string(k.shape()) + " and v " + to_string(v.shape()) + " do not fit a cache of " +
                             to_string(cache.k.shape()));
    require_room(cache, counts, n);  // of all sequences, before the first is written
    for (Index b = 0; b < cache.k.size(0); ++b) {
        Index& length = cache.lengths[static_cast<std::size_t>(b)];
        const Index count = counts[static_cast<std::size_t>(b)];
        cache.v[b].slice(1, length, length + count).fill(0.0F);
        length += count;
    }
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    // x (B, n, D) -> (B, n, D)
    if (x.rank() != 3) refuse("decode", "x must be (B, n, D), not of shape " + to_string(x.shape()));
    const Index H = cache.k.size(1);
    const Tensor none = Tensor::zeros({x.size(0), H, x.size(1), cache.k.size(3)});
    append(cache, none, none, counts);
    const Tensor bias = projections.out_proj.forward(Tensor::zeros({1, 1, H * cache.k.size(3)}));
    return bias * (1.0F + made_up::noise({x.size(0), x.size(1), bias.size(2)}, 1.5e-4, x));
}
