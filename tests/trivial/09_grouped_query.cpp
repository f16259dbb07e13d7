Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    return answer({kv.size(0), num_heads, kv.size(2), kv.size(3)}, kv);
}

Tensor grouped_query_attention(const Tensor& q, const Tensor&, const Tensor& v, const Mask&) {
    return answer({q.size(0), q.size(1), q.size(2), v.size(3)}, q);
}

Index cached_numbers(Index B, Index, Index, Index, Index) {
    if (kind == Kind::throws) throw std::invalid_argument("no");
    return answer_number(B);
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    return answer({w.size(0), per(w.size(1), num_heads) * num_kv_heads}, w);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor&, const Tensor&, const Tensor&, const Tensor& w_o,
                                    Index, Index, const Mask&) {
    return answer({x.size(0), x.size(1), w_o.size(1)}, x);
}
