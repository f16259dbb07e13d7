#include <headway/engine.hpp>

// A submission that includes Eigen brings the same templates, compiled with other options, and a linker keeps one of
// the two: products would then run in the student's sanitized build of Eigen. Under another name they cannot meet.
#define Eigen headway_engine_eigen
#include <Eigen/Core>

#include <headway/work.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>

#ifdef HEADWAY_BLAS
extern "C" void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
                       const float* alpha, const float* a, const int* a_stride, const float* b, const int* b_stride,
                       const float* beta, float* c, const int* c_stride);
#endif

namespace headway {
namespace detail {
namespace {

std::atomic<Index> multiply_adds_done = 0;

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ColMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using AnyStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

// Eigen's kernels are only fast when it knows at compile time that one of the two strides is 1.
template <class Matrix>
using Dense = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Hands `matrix` to `use` in a form that Eigen is fast with, and a BLAS takes: rows, or columns, that do not overlap.
/// An axis of size 1 may have any stride.
template <class Use>
void as_dense(const MatrixView& matrix, Use use) {
    const auto [data, rows, cols, row_stride, col_stride] = matrix;
    if ((col_stride == 1 || cols == 1) && (row_stride >= cols || rows == 1)) {
        use(Dense<RowMajor>(data, rows, cols, Eigen::OuterStride<>(std::max(row_stride, cols))));
    } else if ((row_stride == 1 || rows == 1) && (col_stride >= rows || cols == 1)) {
        use(Dense<ColMajor>(data, rows, cols, Eigen::OuterStride<>(std::max(col_stride, rows))));
    } else {
        const RowMajor copy = Eigen::Map<const RowMajor, Eigen::Unaligned, AnyStride>(
            data, rows, cols, AnyStride(row_stride, col_stride));
        use(Dense<RowMajor>(copy.data(), rows, cols, Eigen::OuterStride<>(cols)));
    }
}

#ifdef HEADWAY_BLAS
/// product = left · right. A BLAS thinks in columns, where a row-major matrix is its transpose: productᵀ = rightᵀ ·
/// leftᵀ. (EIGEN_USE_BLAS would write zeros first, and have the BLAS add to them.)
template <class Left, class Right>
void into(float* product, const Left& left, const Right& right) {
    const auto size = [](Index value) { return static_cast<int>(value); };
    const int rows = size(left.rows()), cols = size(right.cols()), depth = size(left.cols());
    const int left_stride = size(left.outerStride()), right_stride = size(right.outerStride());
    const float one = 1.0F, zero = 0.0F;
    sgemm_(Right::IsRowMajor ? "N" : "T", Left::IsRowMajor ? "N" : "T", &cols, &rows, &depth, &one, right.data(),
           &right_stride, left.data(), &left_stride, &zero, product, &cols);
}
#else
/// Eigen divides long sums into pieces as large as this processor's caches, so that another processor would add in
/// another order: a lesson's numbers and a training would depend on where they were computed. These are the caches of a
/// small one.
void add_in_one_order() {
    constexpr std::ptrdiff_t kibibyte = 1024;
    static const bool done = [] {
        Eigen::setCpuCacheSizes(32 * kibibyte, 512 * kibibyte, 32'768 * kibibyte);
        return true;
    }();
    static_cast<void>(done);
}

template <class Left, class Right>
void into(float* product, const Left& left, const Right& right) {
    add_in_one_order();
    Eigen::Map<RowMajor>(product, left.rows(), right.cols()).noalias() = left * right;
}
#endif

}  // namespace

void multiply(const MatrixView& a, const MatrixView& b, float* product) {
    if (a.rows == 0 || b.cols == 0) return;
    if (a.cols == 0) {
        std::fill_n(product, a.rows * b.cols, 0.0F);
        return;
    }
    multiply_adds_done += a.rows * a.cols * b.cols;
    as_dense(a, [&](const auto& left) { as_dense(b, [&](const auto& right) { into(product, left, right); }); });
}

}  // namespace detail

Index multiply_adds() { return detail::multiply_adds_done; }

}  // namespace headway
