#pragma once

#include <headway/tensor.hpp>

// The steps of attention in all heads, with the mistakes that exercises 03 and 04 have in common.
//                                          B batch · H heads · T queries · S keys · d head_dim · d_v value width
namespace headway::combinations {

/// q·kᵀ, not scaled.
/// @param q  (B, H, T, d)   @param k  (B, H, S, d)   @return (B, H, T, S)
Tensor products(const Tensor& q, const Tensor& k);

/// The sizes that somebody might divide by, as the calling function knows them.
struct PossibleDivisors {
    Index batch = 0;
    Index model = 0;
    Index heads = 0;
    Index head_dim = 0;
    Index queries = 0;
    Index keys = 0;
};

/// What scores are divided by: √head_dim.
float score_divisor(const PossibleDivisors& sizes);

/// Softmax over keys; blocked keys do not count, and where all are blocked the row is zero.
/// @param scores  (B, H, T, S)   @param mask  broadcastable to it; true = may not attend   @return (B, H, T, S)
/// @throws std::invalid_argument if the mask does not broadcast
Tensor masked_weights(const Tensor& scores, const Mask& mask);

/// Σ_s weights[.., s]·v[.., s].
/// @param weights  (B, H, T, S)   @param v  (B, H, S, d_v)   @return (B, H, T, d_v)
Tensor weigh(const Tensor& weights, const Tensor& v);

/// What one sees who reads data()[i] as element i; x itself if it is contiguous.
/// @throws std::invalid_argument where that would leave the storage
Tensor read_as_contiguous(const Tensor& x);

}  // namespace headway::combinations
