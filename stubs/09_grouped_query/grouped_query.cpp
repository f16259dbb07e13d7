#include "grouped_query.hpp"

// What each function computes is in grouped_query.hpp. Put your code in place of each `throw`, in any order you
// like, and ask ./headway grade 09 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex09 {

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    // kv (B, H_kv, S, d) -> (B, H, S, d)
    throw NotImplemented{"repeat_heads"};
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    // q (B, H, T, d), k (B, H_kv, S, d), v (B, H_kv, S, d_v) -> (B, H, T, d_v)
    throw NotImplemented{"grouped_query_attention"};
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    throw NotImplemented{"cached_numbers"};
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    // w (D, H·d) -> (D, H_kv·d)
    throw NotImplemented{"pool_heads"};
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    // x (B, T, D), w_q (D, H·d), w_k and w_v (D, H_kv·d), w_o (H·d, D) -> (B, T, D)
    throw NotImplemented{"grouped_query_self_attention"};
}

}  // namespace headway::ex09
