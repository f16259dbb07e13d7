#include "positions.hpp"

// What each function computes is in positions.hpp. Put your code in place of each `throw`, in any order you like, and
// ask ./headway grade 13 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex13 {

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    // B counts -> (B, T)
    throw NotImplemented{"token_positions"};
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    // positions (B, T) -> (B, T, d/2)
    throw NotImplemented{"rotation_angles"};
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    // x (B, H, T, d), angles (B, T, d/2) -> (B, H, T, d)
    throw NotImplemented{"rotate_pairs"};
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    // x (B, H, T, d), angles (B, T, d/2) -> (B, H, T, d)
    throw NotImplemented{"rotate_halves"};
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    // (..., H·d) -> (..., H·d)
    throw NotImplemented{"pairs_to_halves"};
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    // (..., H·d) -> (..., H·d)
    throw NotImplemented{"halves_to_pairs"};
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    // q (B, H, T, d), k (B, H_kv, S, d), v (B, H_kv, S, d_v) -> (B, H, T, d_v)
    throw NotImplemented{"rotary_attention"};
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    // q (B, H, T, d), k (B, H_kv, T, d), v (B, H_kv, T, d_v), P tokens in the cache -> (B, H, T, d_v)
    throw NotImplemented{"decode"};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    // (D, E), (D, E_kv), (D, E_kv) -> (E + 2·E_kv, D)
    throw NotImplemented{"pack_in_projection"};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    // (E + 2·E_kv, D) -> (D, E), (D, E_kv), (D, E_kv)
    throw NotImplemented{"unpack_in_projection"};
}

}  // namespace headway::ex13
