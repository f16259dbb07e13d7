Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    return answer({static_cast<Index>(padding.size()), T}, Tensor::full({1}, static_cast<float>(first)));
}

Tensor rotation_angles(const Tensor& positions, Index d, double) {
    return answer({positions.size(0), positions.size(1), per(d, 2)}, positions);
}

Tensor rotate_pairs(const Tensor& x, const Tensor&) { return answer(x.shape(), x); }

Tensor rotate_halves(const Tensor& x, const Tensor&) { return answer(x.shape(), x); }

Tensor pairs_to_halves(const Tensor& w, Index) { return answer(w.shape(), w); }

Tensor halves_to_pairs(const Tensor& w, Index) { return answer(w.shape(), w); }

Tensor rotary_attention(const Tensor& q, const Tensor&, const Tensor& v, const Tensor&, const Tensor&, double,
                        const Mask&) {
    return answer({q.size(0), q.size(1), q.size(2), v.size(3)}, q);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>&,
               double) {
    const Index all = k.size(2) + (cache.k.defined() ? cache.k.size(2) : 0);
    return {answer({q.size(0), q.size(1), q.size(2), v.size(3)}, q),
            {answer({k.size(0), k.size(1), all, k.size(3)}, k), answer({v.size(0), v.size(1), all, v.size(3)}, v)}};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor&,
                          const Tensor&) {
    const Index rows = w_q.size(1) + w_k.size(1) + w_v.size(1);
    return {answer({rows, w_q.size(0)}, w_q), b_q.defined() ? answer({rows}, b_q) : Tensor{}};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Index d = per(packed.weight.size(0), num_heads + 2 * num_kv_heads), D = packed.weight.size(1);
    const Index E = num_heads * d, E_kv = num_kv_heads * d;
    const auto w = [&](Index width) { return answer({D, width}, packed.weight); };
    const auto b = [&](Index width) { return packed.bias.defined() ? answer({width}, packed.bias) : Tensor{}; };
    return {w(E), w(E_kv), w(E_kv), b(E), b(E_kv), b(E_kv)};
}
