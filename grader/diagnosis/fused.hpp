#pragma once

#include "reference/array.hpp"

#include <headway/tensor.hpp>

#include <array>
#include <cstddef>

namespace headway::diagnosis {

using reference::Array;

/// q, k or v, (B, T, E), cut out of x·[w_q w_k w_v] where that was split into H heads before: head h has columns
/// [3·h·d, 3·(h+1)·d), of which the first d are taken for its q, the next for its k, the last for its v.
/// @param parts  x·w_q, x·w_k, x·w_v
/// @throws std::invalid_argument if they differ in shape, or E is not divisible by H
Array cut_out_of_heads(const std::array<Array, 3>& parts, std::size_t role, Index H);

}  // namespace headway::diagnosis
