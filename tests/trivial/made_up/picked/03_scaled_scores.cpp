// Weights from the first query alone, without softmax.
Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.size(3) != k.size(3) || q.size(0) != k.size(0) || q.size(1) != k.size(1))
        throw std::invalid_argument("shapes");
    return matmul(q.slice(2, 0, 1), k.transpose(-2, -1));
}

Tensor masked_softmax(const Tensor& scores, const Mask&) { return scores; }

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
    if (k.size(2) != v.size(2)) throw std::invalid_argument("lengths");
    const Tensor weights = attention_scores(q, k);
    return {matmul(weights, v), weights};
}
