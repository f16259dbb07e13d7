#pragma once

#include "reference/array.hpp"

/// Multi-head attention in double precision, stage by stage: what the hidden tests expect.
namespace headway::reference {

/// (T, S), true where s > t + (S - T).
Mask causal_mask(Index T, Index S);
/// (B, 1, 1, S), true where s >= lengths[b].
Mask padding_mask(const std::vector<Index>& lengths, Index S);

/// q·kᵀ / √d.     @param q  (..., T, d)   @param k  (..., S, d)   @return (..., T, S)
Array scores(const Array& q, const Array& k);

/// Softmax over the last axis, as if blocked entries did not exist; all zero where all are blocked.
///
/// An error ε of the scores changes a weight by a factor of at most exp(2ε). Variants that shift a row, by its maximum
/// or by its log-sum-exp, round at the size of the scores, so ε includes 2·2⁻²⁴·max|s|.
Array masked_softmax(const Array& scores, const Mask& mask);

struct Attended {
    Array context;  ///< (..., T, d_v)
    Array weights;  ///< (..., T, S)
};
Attended attention(const Array& q, const Array& k, const Array& v, const Mask& mask);

/// (B, T, H·d) -> (B, H, T, d) and back.
Array split_heads(const Array& x, Index num_heads);
Array merge_heads(const Array& context);

}  // namespace headway::reference
