#pragma once

#include <headway/given.hpp>
#include <headway/tensor.hpp>

#include <vector>

// Exercise 03: attention in all heads at once, with masks.
//                                          B batch · H heads · T queries · S keys · d head_dim · d_v value width
// A mask is boolean, true = may not attend, and broadcasts to (B, H, T, S): one axis is (S), two are (T, S),
// three (H, T, S). `Mask{}` blocks nothing.
// No function changes its arguments or what an earlier call returned. Where a shape does not fit, throw
// std::invalid_argument. Tensors and masks may be views of any strides, as split_heads returns them: data()[i] is
// element i only if is_contiguous(). given::split_heads is yours to use from here on. Sizes are at least 1 and ranks as
// named. Numbers are finite, q·kᵀ and scores too.
namespace headway::ex03 {

/// Scaled scores:   q·kᵀ / √d.   The width that was summed over is d, whatever the model width is.
///                                                                                    [Vaswani et al. 2017, §3.2.1]
/// @param q  (B, H, T, d)   @param k  (B, H, S, d)
/// @return (B, H, T, S)
/// @throws std::invalid_argument if B, H or d differ (any size of 1 that broadcasts may be let through)
Tensor attention_scores(const Tensor& q, const Tensor& k);

/// A token may see itself and the past: true where s > t + (S - T), so that the last query sees every key.
/// S - T may be negative: where T > S, the first T - S queries see no key.
/// (torch's is_causal aligns the first query with the first key instead; the two agree for T = S.)
/// @return (T, S)
Mask causal_mask(Index T, Index S);

/// Sequences of a batch end early; what is past their end is no key: true where s >= lengths[b].
/// @param lengths  one per sequence, at least one, each in [0, S]; no others are asked
/// @return (B, 1, 1, S)
Mask padding_mask(const std::vector<Index>& lengths, Index S);

/// Softmax over keys, as if blocked keys did not exist. Scores of ±1e4 and beyond must not overflow.
/// @param scores  (B, H, T, S), finite   @param mask  broadcastable to (B, H, T, S)
/// @return (B, H, T, S); a blocked key has 0; each row sums to 1, or is all zero where every key is blocked (never NaN)
/// @throws std::invalid_argument if the mask does not broadcast to scores
Tensor masked_softmax(const Tensor& scores, const Mask& mask);

struct Attended {
    Tensor context;  ///< (B, H, T, d_v): weights · v
    Tensor weights;  ///< (B, H, T, S)
};

/// masked_softmax(attention_scores(q, k), mask) and what it gathers from v.           [Vaswani et al. 2017, eq. 1]
/// @param q  (B, H, T, d)   @param k  (B, H, S, d)   @param v  (B, H, S, d_v)
/// @throws std::invalid_argument if B, H, d or S differ where they must agree (any size of 1 that broadcasts may be let
///         through), or the mask does not broadcast
Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask);

}  // namespace headway::ex03
