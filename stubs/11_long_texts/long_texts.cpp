#include "long_texts.hpp"

// What each function computes is in long_texts.hpp. Put your code in place of each `throw`, in any order you like, and
// ask ./headway grade 11 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex11 {

Mask window_mask(Index T, Index S, Index w) {
    // -> (T, S)
    throw NotImplemented{"window_mask"};
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    // -> (T, S)
    throw NotImplemented{"global_mask"};
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    // padding (B, 1, 1, S) -> (B, 1, T, S), or Mask{} -> (T, S)
    throw NotImplemented{"long_mask"};
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> (B, H, T, d_v)
    throw NotImplemented{"window_attention"};
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    // -> (B, H, w, d), (B, H, w, d_v), 0
    throw NotImplemented{"make_ring"};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    // k (B, H, n, d), v (B, H, n, d_v): the last w of them into slots p % w
    throw NotImplemented{"ring_append"};
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    // q, k (B, H, n, d), v (B, H, n, d_v) -> (B, H, n, d_v)
    throw NotImplemented{"ring_decode"};
}

Mask reach(const Mask& mask, Index layers) {
    // (S, S) -> (S, S)
    throw NotImplemented{"reach"};
}

Index window_reach(Index w, Index layers) {
    // -> a number of tokens
    throw NotImplemented{"window_reach"};
}

}  // namespace headway::ex11
