#include "kv_cache.hpp"

// What each function computes is in kv_cache.hpp. Put your code in place of each `throw`, in any order you like,
// and ask ./headway grade 08 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    // -> k and v (B, H, capacity, d), B lengths
    throw NotImplemented{"make_cache"};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    // k, v (B, H, n, d), B counts
    throw NotImplemented{"append"};
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    // B lengths -> (B, 1, n, S)
    throw NotImplemented{"decoding_mask"};
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    // x (B, n, D), B counts -> (B, n, D)
    throw NotImplemented{"decode"};
}

}  // namespace headway::ex08
