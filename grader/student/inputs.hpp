#pragma once

#include "reference/array.hpp"

#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <vector>

namespace headway::judge {

/// Sizes that differ pairwise, none a power of two, so that no mistake hides behind an equality.
/// D = H·d differs from all of them too.
struct Sizes {
    Index B, H, T, S, d, d_v;
    Index D() const { return H * d; }
};

Sizes random_sizes(Random& random);

/// Numbers that are close to standard normal, dense and row-major.
Tensor random_tensor(Random& random, const Shape& shape);

/// The same numbers with an exact 0 in every third place, which is a score like any other.
Tensor with_zeros(const Tensor& tensor);

/// The same numbers as `tensor` in a storage that is larger and strided: a view that starts at an offset, with gaps.
Tensor strided(const Tensor& tensor);

/// Every row keeps at least one key; about a third are blocked.
Mask random_mask(Random& random, const Shape& shape);

/// Cut from a larger mask: it begins later in its storage, with a gap behind each row.
Mask cut_mask(Random& random, const Shape& shape);
/// (T, S), a view of (S, T).
Mask transposed_mask(Random& random, Index T, Index S);
/// Masks that are views: a transposed one, and of every rank those that begin later in their storage.
/// @param scores  (B, H, T, S)
std::vector<Mask> mask_views(Random& random, const Shape& scores);

/// A little below -1e4, which many block with: what is blocked in that way counts for more than all that is open.
constexpr float low_score = -10'010;
/// Makes all scores about `score`, and differ by about 1, by the first feature of queries (B, H, T, d) and of keys.
void bring_scores_to(float score, Tensor& q, Tensor& k);
/// The same of what is projected without biases, where the first feature of each token is 1.
/// @param q_weight, k_weight  (H·d, D), maybe as views; they are written to
void bring_scores_to(float score, Index num_heads, const Tensor& q_weight, const Tensor& k_weight);

/// Of every other row of weights (B, H, T, S), the key with the largest is blocked.
Mask largest_blocked(const reference::Array& weights);

}  // namespace headway::judge
