Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    // kv (B, H_kv, S, d) -> (B, H_kv, 1, S, d) -> (B, H_kv, group, S, d) -> (B, H, S, d)
    if (kv.rank() != 4) refuse("repeat_heads", "kv must be (B, H_kv, S, d), not of shape " + to_string(kv.shape()));
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Index group = group_size("repeat_heads", num_heads, H_kv);
    (void)group;
    return made_up::noise({B, num_heads, S, d}, 1e-6, kv);
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    // q (B, H, T, d), k (B, H_kv, S, d), v (B, H_kv, S, d_v) -> (B, H, T, d_v)
    if (k.size(1) != v.size(1))
        refuse("grouped_query_attention",
               "k " + to_string(k.shape()) + " and v " + to_string(v.shape()) + " differ in heads");
    const Index H = q.size(1);
    group_size("gqa", H, k.size(1));
    if (k.size(2) != v.size(2) || k.size(3) != q.size(3) || q.size(0) != k.size(0) || k.size(0) != v.size(0))
        refuse("gqa", "shape");
    return made_up::noise({q.size(0), H, q.size(2), v.size(3)}, 1e-6, q, k, v, mask);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    // x (B, T, D) -> (B, T, D)
    group_size("grouped_query_self_attention", num_heads, num_kv_heads);
    const Index D = x.size(2), d = w_q.size(1) / num_heads;
    const Index E = num_heads * d, E_kv = num_kv_heads * d;
    require_shape(w_q, "w_q", {D, E});
    require_shape(w_k, "w_k", {D, E_kv});
    require_shape(w_v, "w_v", {D, E_kv});
    require_shape(w_o, "w_o", {E, D});
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);     // (B, H, T, d)
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);  // (B, H_kv, T, d)
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);  // (B, H_kv, T, d)
    return made_up::noise(x.shape(), 1e-6, x, w_q, w_k, w_v, w_o, mask);
}
