#pragma once

#include <headway/given.hpp>
#include <headway/tensor.hpp>

// Exercise 09: several query heads share one head of keys and values.
//      B batch · T queries · S keys · D model width · H num_heads · H_kv num_kv_heads · d head_dim · d_v value width
//
// H query heads form H_kv groups of H / H_kv neighbours each: heads 0 .. H / H_kv - 1 are the first group. All heads of
// a group use the same keys and values. H_kv = H is multi-head attention, H_kv = 1 multi-query attention.
// No function changes its arguments or what an earlier call returned; tensors and masks may be views of any strides,
// and a result may be a view of an argument. Everything in <headway/given.hpp> is yours. Wherever H is not divisible by
// H_kv, be they numbers or sizes of tensors, or a number of heads is below 1, throw std::invalid_argument. Sizes are at
// least 1 and ranks as named, except where a @throws names others. Numbers are finite.
namespace headway::ex09 {

/// Each head as often as its group is large, side by side (as torch.repeat_interleave, not as torch.tile):
///     result[b, h] = kv[b, h / (H / H_kv)]
/// @param kv  (B, H_kv, S, d)   @return (B, H, S, d)
/// @throws std::invalid_argument also if kv is not of rank 4 (std::out_of_range is right too)
Tensor repeat_heads(const Tensor& kv, Index num_heads);

/// softmax(q·kᵀ / √d, masked)·v, where query head h uses keys and values of head h / (H / H_kv).
///                                                                                       [Ainslie et al. 2023, §2.2]
/// @param q  (B, H, T, d)   @param k  (B, H_kv, S, d)   @param v  (B, H_kv, S, d_v)
/// @param mask  broadcastable to (B, H, T, S): each query head may have a mask of its own
/// @return context (B, H, T, d_v), zeros for a query that sees no key; scores of ±1e4 and beyond do no harm, those of
///         blocked keys included
/// @throws std::invalid_argument also if B, d or S differ where they must agree, or k and v in heads (q, k and v do not
///         broadcast), or if the mask does not broadcast
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask);

/// How many numbers a layer's cache holds for B sequences of S tokens: keys and values. num_heads is only checked.
/// Counts fit into Index.
Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim);

/// Makes a projection for H_kv heads out of one for H heads: the mean over the heads of each group.
///                                                                                       [Ainslie et al. 2023, §2.1]
/// @param w  (D, H·d), head h in columns [h·d, (h+1)·d)   @return (D, H_kv·d)
/// @throws std::invalid_argument also if the columns of w are not divisible by num_heads
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads);

/// The whole layer on x: project, split, attend in groups, merge, project.
/// @param x  (B, T, D)   @param w_q  (D, H·d)   @param w_k, w_v  (D, H_kv·d)   @param w_o  (H·d, D)
/// @param mask  broadcastable to (B, H, T, T)
/// @return (B, T, D)
/// @throws std::invalid_argument also if x is not of rank 3 (std::out_of_range is right too), the columns of w_q are
///         not divisible by num_heads (their quotient is d), or another size of these four matrices is not as above
Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask);

}  // namespace headway::ex09
