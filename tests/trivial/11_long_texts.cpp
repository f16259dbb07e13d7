Mask window_mask(Index T, Index S, Index w) { return answer_mask({T, S}, {w}); }

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) { return answer_mask({T, S}, positions); }

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>&, const Mask& padding) {
    return answer_mask(padding.defined() ? Shape{padding.size(0), 1, T, S} : Shape{T, S}, {w});
}

Tensor window_attention(const Tensor& q, const Tensor&, const Tensor& v, Index, const std::vector<Index>&,
                        const Mask&) {
    return answer({q.size(0), q.size(1), q.size(2), v.size(3)}, q);
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    const Tensor none = Tensor::zeros({1});
    return {answer({B, H, w, d}, none), answer({B, H, w, d_v}, none), 0};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    change(cache.k, k);
    change(cache.v, v);
}

Tensor ring_decode(RingCache&, const Tensor& q, const Tensor&, const Tensor& v) {
    return answer({q.size(0), q.size(1), q.size(2), v.size(3)}, q);
}

Mask reach(const Mask& mask, Index layers) { return answer_mask(mask.shape(), {layers}); }

Index window_reach(Index w, Index) { return answer_number(w); }
