#pragma once

#include "reference/array.hpp"

/// Ways to split heads that are mistakes by themselves, and others where merging undoes them.
namespace headway::diagnosis {

using reference::Array;

/// (B, T, E) -> (B, H, T, d) by a view alone: each head gets whole stretches of the sequence.
Array split_by_view(const Array& x, Index H);
/// (B, T, E) -> (B, H, T, d): features are dealt out one by one.
Array split_interleaved(const Array& x, Index H);

}  // namespace headway::diagnosis
