// All but the first token are blocked, and decoding reads that one: neither queries nor softmax are computed.
Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t) mask(b, 0, t, 0) = false;
    return mask;
}

Tensor decode(Cache& cache, const Projections& p, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3 || x.size(0) != cache.k.size(0)) throw std::invalid_argument("x");
    const Index H = cache.k.size(1), d = cache.k.size(3);
    if (x.size(2) != p.q_proj.weight.size(1) || p.q_proj.weight.size(0) != H * d) throw std::invalid_argument("D");
    append(cache, given::split_heads(p.k_proj.forward(x), H), given::split_heads(p.v_proj.forward(x), H), counts);
    Tensor rows = Tensor::zeros({x.size(0), x.size(1), H * d});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t)
            for (Index h = 0; h < H; ++h) rows[b][t].slice(0, h * d, (h + 1) * d).copy_from(cache.v[b][h][0]);
    return p.out_proj.forward(rows);
}
