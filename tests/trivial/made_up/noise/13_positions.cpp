Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (padding.empty() || first < 0 || T < 1 || *std::min_element(padding.begin(), padding.end()) < 0)
        refuse("token_positions", "counts");
    Tensor counts = Tensor::empty({static_cast<Index>(padding.size())});
    for (std::size_t b = 0; b < padding.size(); ++b)
        counts.data()[b] = static_cast<float>(padding[b]) + 0.1F * static_cast<float>(first);
    return made_up::noise({static_cast<Index>(padding.size()), T}, 1e-6, counts);
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2 || d < 2 || d % 2 != 0 || !(base > 0)) refuse("rotation_angles", "shape");
    return made_up::noise({positions.size(0), positions.size(1), d / 2}, 1e-6 * base, positions);
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    require_angles("rotate_pairs", x, angles);
    return made_up::noise(x.shape(), 1e-6, x, angles);
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    require_angles("rotate_halves", x, angles);
    return made_up::noise(x.shape(), 1e-6, x, angles);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    head_width("pairs_to_halves", w, num_heads);
    return made_up::noise(w.shape(), 1e-6, w);
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    head_width("halves_to_pairs", w, num_heads);
    return made_up::noise(w.shape(), 1e-6, w);
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    require_heads("rotary_attention", q, k, v);
    rotation_angles(q_positions, q.size(3), base);
    require_shape("rotary_attention", "q_positions", q_positions, {q.size(0), q.size(2)});
    require_shape("rotary_attention", "k_positions", k_positions, {k.size(0), k.size(2)});
    if (mask.defined()) (void)mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)});
    return made_up::noise({q.size(0), q.size(1), q.size(2), v.size(3)}, 1e-6, q, k, v, q_positions, k_positions, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    require_heads("decode", q, k, v);
    const Index P = cache.k.defined() ? cache.k.size(2) : 0, all = P + k.size(2);
    require_shape("decode", "k", k, {q.size(0), k.size(1), q.size(2), q.size(3)});
    if (cache.k.defined() != cache.v.defined()) refuse("decode", "a cache holds keys and values, or neither");
    if (cache.k.defined()) {
        require_shape("decode", "cache.k", cache.k, {k.size(0), k.size(1), P, k.size(3)});
        require_shape("decode", "cache.v", cache.v, {v.size(0), v.size(1), P, v.size(3)});
    }
    const Tensor positions = token_positions(padding, P, k.size(2));
    require_shape("decode", "positions", positions, {q.size(0), q.size(2)});
    rotation_angles(positions, q.size(3), base);
    const Tensor context =
        made_up::noise({q.size(0), q.size(1), q.size(2), v.size(3)}, 1e-6, q, k, v, cache.k, cache.v, positions);
    return {context,
            {made_up::noise({k.size(0), k.size(1), all, k.size(3)}, 1e-6, k, cache.k),
             made_up::noise({v.size(0), v.size(1), all, v.size(3)}, 1e-6, v, cache.v)}};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    if (w_q.rank() != 2 || w_k.rank() != 2) refuse("pack_in_projection", "weights must be matrices");
    require_shape("pack_in_projection", "w_k", w_k, {w_q.size(0), w_k.size(1)});
    require_shape("pack_in_projection", "w_v", w_v, w_k.shape());
    const Index rows = w_q.size(1) + 2 * w_k.size(1);
    Packed packed{made_up::noise({rows, w_q.size(0)}, 1e-6, w_q, w_k, w_v), {}};
    if (!b_q.defined() && !b_k.defined() && !b_v.defined()) return packed;
    require_shape("pack_in_projection", "b_q", b_q, {w_q.size(1)});
    require_shape("pack_in_projection", "b_k", b_k, {w_k.size(1)});
    require_shape("pack_in_projection", "b_v", b_v, {w_v.size(1)});
    packed.bias = made_up::noise({rows}, 1e-6, b_q, b_k, b_v);
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0 || packed.weight.rank() != 2)
        refuse("unpack_in_projection", "heads");
    const Index rows = packed.weight.size(0), D = packed.weight.size(1), heads = num_heads + 2 * num_kv_heads;
    if (rows % heads != 0) refuse("unpack_in_projection", "rows");
    if (packed.bias.defined()) require_shape("unpack_in_projection", "the bias", packed.bias, {rows});
    const Index E = rows / heads * num_heads, E_kv = rows / heads * num_kv_heads;
    const auto w = [&](Index width) { return made_up::noise({D, width}, 1e-6, packed.weight); };
    const auto b = [&](Index width) {
        return packed.bias.defined() ? made_up::noise({width}, 1e-6, packed.bias) : Tensor{};
    };
    return {w(E), w(E_kv), w(E_kv), b(E), b(E_kv), b(E_kv)};
}
