#pragma once

#include <headway/layout.hpp>

namespace headway {

/// A matrix somewhere in memory: element (r, c) is data[r * row_stride + c * col_stride]. Strides may be 0.
struct MatrixView {
    const float* data;
    Index rows;
    Index cols;
    Index row_stride;
    Index col_stride;
};

/// product = a · b, where `product` has a.rows × b.cols numbers, row-major without gaps, and overlaps neither factor.
/// The caller has checked that a.cols == b.rows. What it costs is counted: see multiply_adds() in work.hpp.
void multiply(const MatrixView& a, const MatrixView& b, float* product);

// Of numbers that lie next to each other. No NaN gets lost.

/// result[i] = exp(factor · x[i] - shift), computed in double and rounded once; `result` may be `x` itself.
void exponentials(const float* x, Index count, float factor, float shift, float* result);
/// In double, so that long sums lose no digits.
double total(const float* x, Index count);
/// NaN if one of them is; -infinity if there are none.
float largest(const float* x, Index count);

}  // namespace headway
