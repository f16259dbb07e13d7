#pragma once

#include <headway/given.hpp>
#include <headway/tensor.hpp>

// Exercise 04: putting the heads back together.        B batch · H heads · T tokens · D model width · d = D / H
//
// No function changes its arguments or what an earlier call returned. Where a shape does not fit, throw
// std::invalid_argument. Tensors and masks may be views of any strides. Everything in <headway/given.hpp> up to
// scaled_dot_product_context is yours to use. Sizes are at least 1 and ranks as named, except where a @throws names
// others. Numbers are finite, q·kᵀ and scores too.
namespace headway::ex04 {

/// The inverse of split_heads: head h returns to features [h·d, (h+1)·d) of its token.
/// @param context  (B, H, T, d)
/// @return (B, T, H·d); it may be a view of context where strides can express that, such as where context is
///         contiguous and H = 1 or T = 1
/// @throws std::invalid_argument if context is not of rank 4 (std::out_of_range is right too)
Tensor merge_heads(const Tensor& context);

/// The output projection, where what the heads found is mixed:   merged·w_o + b_o.
/// @param merged  (B, T, E)   @param w_o  (E, D)   @param b_o  (D), added to the row of every token; undefined
///        (`Tensor{}`): no bias
/// @return (B, T, D)
/// @throws std::invalid_argument if E differs, or b_o is defined and not of shape (D) (one that + broadcasts may be
///         added all the same, even if it makes the output larger)
Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o);

/// Multi-head self-attention, without biases: project, split, attend in each head, merge, project.
///     merge_heads(softmax(q·kᵀ / √d, masked) · v) · w_o      where q, k, v = split_heads(x·w_q), ...(x·w_k),
///     ...(x·w_v)
/// A query that sees no key gets zeros. Scores of ±1e4 overflow nothing.
/// @param x  (B, T, D)   @param w_q, w_k, w_v, w_o  (D, D)
/// @param mask  true = may not attend; broadcastable to (B, H, T, T)
/// @return (B, T, D)
/// @throws std::invalid_argument if x is not of rank 3 (std::out_of_range is right too), a matrix is not (D, D), the
///         mask does not broadcast, num_heads < 1, or D is not divisible by num_heads
Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask);

}  // namespace headway::ex04
