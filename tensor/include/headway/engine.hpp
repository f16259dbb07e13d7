#pragma once

#include <headway/layout.hpp>

namespace headway::detail {

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

}  // namespace headway::detail
