#pragma once

#include <headway/tensor.hpp>

/// What you have built in earlier exercises, ready made, so that a mistake there never costs you a later exercise.
/// Each becomes available one exercise after you wrote it yourself; earlier use does not link, and the grader says so.
/// Exercises 06, 10 and 14 have none of it; in 11 and 12, merge_heads is left out.
namespace headway::given {

// ---- from exercise 03 on ------------------------------------------------------------------------------------

/// @param x (B, T, D), of any strides   @return (B, H, T, D / H), a view
/// @throws std::invalid_argument if x has another rank, num_heads < 1, or D is not divisible by num_heads
Tensor split_heads(const Tensor& x, Index num_heads);

// ---- from exercise 04 on ------------------------------------------------------------------------------------

/// (T, S), true where s > t + (S - T): the last query sees every key.
Mask causal_mask(Index T, Index S);

/// (B, 1, 1, S), true where s >= lengths[b].
Mask padding_mask(const std::vector<Index>& lengths, Index S);

struct Attended {
    Tensor context;  ///< (B, H, T, d_v), contiguous
    Tensor weights;  ///< (B, H, T, S), contiguous
};

/// softmax(q·kᵀ / √head_dim, masked) · v; zeros for a query that sees no key.
/// @param q (B, H, T, d)   @param k (B, H, S, d)   @param v (B, H, S, d_v), all of any strides
/// @param mask broadcastable to (B, H, T, S)
/// @throws std::invalid_argument if shapes do not fit (no size of 1 broadcasts), or the mask does not broadcast
Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask = {});

/// Its context alone, contiguous: faster, as the B·H·T·S weights never exist at once.  [as torch's need_weights=False]
Tensor scaled_dot_product_context(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask = {});

// ---- from exercise 05 on ------------------------------------------------------------------------------------

/// @param context (B, H, T, d)   @return (B, T, H·d), contiguous: never a view of context
/// @throws std::invalid_argument if context has another rank
Tensor merge_heads(const Tensor& context);

}  // namespace headway::given
