#include "engine.hpp"

// A submission that includes Eigen brings the same templates, compiled with other options, and a linker keeps one of
// the two: products would then run in the student's sanitized build of Eigen. Under another name they cannot meet.
#define Eigen headway_engine_eigen
#include <Eigen/Core>

#include <algorithm>

namespace headway {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ColMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using AnyStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

// Eigen's kernels are only fast when it knows at compile time that one of the two strides is 1.
template <class Matrix>
using Dense = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Hands `matrix` to `use` in a form that Eigen is fast with. An axis of size 1 may have any stride.
template <class Use>
void as_dense(const MatrixView& matrix, Use use) {
    const auto [data, rows, cols, row_stride, col_stride] = matrix;
    if (col_stride == 1 || cols == 1) {
        use(Dense<RowMajor>(data, rows, cols, Eigen::OuterStride<>(row_stride)));
    } else if (row_stride == 1 || rows == 1) {
        use(Dense<ColMajor>(data, rows, cols, Eigen::OuterStride<>(col_stride)));
    } else {
        const RowMajor copy = Eigen::Map<const RowMajor, Eigen::Unaligned, AnyStride>(
            data, rows, cols, AnyStride(row_stride, col_stride));
        use(Dense<RowMajor>(copy.data(), rows, cols, Eigen::OuterStride<>(cols)));
    }
}

}  // namespace

void multiply(const MatrixView& a, const MatrixView& b, float* product) {
    if (a.rows == 0 || b.cols == 0) return;
    if (a.cols == 0) {
        std::fill_n(product, a.rows * b.cols, 0.0F);
        return;
    }
    Eigen::Map<RowMajor> result(product, a.rows, b.cols);
    as_dense(a, [&](const auto& left) { as_dense(b, [&](const auto& right) { result.noalias() = left * right; }); });
}

}  // namespace headway
