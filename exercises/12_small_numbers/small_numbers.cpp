#include "small_numbers.hpp"

// What each function computes is in small_numbers.hpp. Put your code in place of each `throw`, in any order you like,
// and ask ./headway grade 12 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex12 {

Tensor rounded(const Tensor& x, Format format) {
    // -> the same shape
    throw NotImplemented{"rounded"};
}

Tensor sum_in(const Tensor& x, Format format) {
    // (..., n) -> (..., 1)
    throw NotImplemented{"sum_in"};
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    // (..., S) -> (..., S)
    throw NotImplemented{"softmax_in_half"};
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> (B, H, T, d_v)
    throw NotImplemented{"attention_in_half"};
}

Tensor row_scales(const Tensor& x) {
    // (B, H, P, width) -> (B, H, P)
    throw NotImplemented{"row_scales"};
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    // (B, H, P, width), (B, H, P) -> a code for each number
    throw NotImplemented{"to_int8"};
}

Tensor from_int8(const Int8Rows& rows) {
    // -> (B, H, P, width)
    throw NotImplemented{"from_int8"};
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    // k (B, H, n, d), v (B, H, n, d_v): after the P tokens of the cache
    throw NotImplemented{"append"};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    // q (B, H, T, d), cache of (B, H, P, d) and (B, H, P, d_v) -> (B, H, T, d_v)
    throw NotImplemented{"int8_attention"};
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    // -> a number of bytes
    throw NotImplemented{"cache_bytes"};
}

}  // namespace headway::ex12
