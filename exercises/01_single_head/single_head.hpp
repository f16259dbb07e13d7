#pragma once

#include <headway/tensor.hpp>

// Exercise 01: one attention head, without batch.
//                                      T tokens · S keys · D model width · d key width · d_v value width
//
// This header is the specification; write the functions in single_head.cpp. No function changes its arguments or what
// an earlier call returned. Where a shape does not fit, throw std::invalid_argument. Weights are stored (in, out), so
// a projection is x · w. Tensors may be views of any strides: data()[i] is element i only if is_contiguous().
// Sizes are at least 1 and ranks as named. Numbers are finite, q·kᵀ and scores too.
namespace headway::ex01 {

/// Softmax of each row:   w[t, s] = exp(scores[t, s]) / Σ_j exp(scores[t, j]).
/// Rows are independent; scores of ±1e4 and beyond must not overflow (subtract each row's maximum first).
/// @param scores  (T, S)
/// @return (T, S); each row sums to 1
Tensor softmax_rows(const Tensor& scores);

/// How much each token attends to each key:   softmax_rows(q·kᵀ / √d).               [Vaswani et al. 2017, eq. 1]
/// @param q  (T, d)   @param k  (S, d)
/// @return (T, S); each row sums to 1
/// @throws std::invalid_argument if the widths of q and k differ
Tensor attention_weights(const Tensor& q, const Tensor& k);

/// One head of self-attention: project x three times, weigh the values.
///     attention_weights(x·w_q, x·w_k) · (x·w_v)
/// @param x  (T, D)   @param w_q  (D, d)   @param w_k  (D, d)   @param w_v  (D, d_v); d_v may differ from d
/// @return (T, d_v): one row per token
/// @throws std::invalid_argument if a weight does not have D rows, or w_q and w_k differ in width
Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v);

/// The residual connection: attention edits the token, it does not replace it.        x + attended
/// @param x  (T, D)   @param attended  (T, D)
/// @return (T, D)
/// @throws std::invalid_argument if the shapes differ (what broadcasts may be let through)
Tensor with_residual(const Tensor& x, const Tensor& attended);

}  // namespace headway::ex01
