#pragma once

#include <headway/random.hpp>
#include <headway/tensor.hpp>

// What happens inside the heads.      q (B, H, T, d) · k, v (B, H, S, d) · weights (B, H, T, S)
namespace headway::ex05 {

Tensor scaled_scores(const Tensor& q, const Tensor& k);
Tensor masked_softmax(const Tensor& scores, const Mask& mask);
void drop(Tensor& weights, float p, Random& random);
Tensor weighted_sum(const Tensor& weights, const Tensor& v);

}  // namespace headway::ex05
