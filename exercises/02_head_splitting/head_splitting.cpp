#include "head_splitting.hpp"

// What each function computes is in head_splitting.hpp. Put your code in place of each `throw`, in any order you
// like, and ask ./headway grade 02 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    // one size per axis -> one stride per axis
    throw NotImplemented{"contiguous_strides"};
}

Tensor view(const Tensor& x, const Shape& shape) {
    // x of any shape -> shape, over the same storage
    throw NotImplemented{"view"};
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    // (..., m, ..., n, ...) -> (..., n, ..., m, ...), over the same storage
    throw NotImplemented{"transpose"};
}

Tensor contiguous(const Tensor& x) {
    // x of any strides -> the same shape, row-major
    throw NotImplemented{"contiguous"};
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    // x (B, T, D) -> (B, H, T, d), over the same storage
    throw NotImplemented{"split_heads"};
}

}  // namespace headway::ex02
