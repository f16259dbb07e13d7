#pragma once

#include <headway/layout.hpp>

// What is worth being vectorised: numbers that lie next to each other. No NaN gets lost.
namespace headway {

/// result[i] = exp(factor · x[i] - shift), computed in double and rounded once; `result` may be `x` itself.
void exponentials(const float* x, Index count, float factor, float shift, float* result);
/// In double, so that long sums lose no digits.
double total(const float* x, Index count);
/// NaN if one of them is; -infinity if there are none.
float largest(const float* x, Index count);

}  // namespace headway
