#pragma once

#include <headway/tensor.hpp>

namespace headway::ex05 {

/// (B, L, E) -> (B, n_head, L, E / n_head)
Tensor split(const Tensor& tensor, Index n_head);

/// The way back: (B, n_head, L, d) -> (B, L, n_head·d)
Tensor concat(const Tensor& tensor);

}  // namespace headway::ex05
