#pragma once

#include <headway/engine.hpp>

#include <Eigen/Core>

#include <type_traits>

// Eigen's products of float matrices of any size, with each other and with vectors, go to `multiply`, which is built
// already: to instantiate Eigen's own kernels costs each file that has a product a second, and two where sanitizers
// watch. What a product is, when it needs a temporary and what is checked stay Eigen's. Where it chooses its kernels is
// internal to it; this is the place in 3.4.

namespace headway::detail {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool memory_is_watched = true;
#elif defined(__has_feature)
inline constexpr bool memory_is_watched = __has_feature(address_sanitizer);
#else
inline constexpr bool memory_is_watched = false;
#endif

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Whether `multiply` may use the memory of such an expression. It is not instrumented: where memory is watched, it
/// gets copies, made by code that is.
template <class Expression>
inline constexpr bool lies_in_memory = !memory_is_watched && (Expression::Flags & Eigen::DirectAccessBit) != 0;

/// The numbers of a matrix: where they are, or else a copy.
template <class Expression>
class Factor {
public:
    explicit Factor(const Expression& matrix) : matrix_(matrix) {}

    MatrixView view() const { return {matrix_.data(), matrix_.rows(), matrix_.cols(), row_stride(), col_stride()}; }

private:
    Index row_stride() const { return Expression::IsRowMajor ? matrix_.outerStride() : matrix_.innerStride(); }
    Index col_stride() const { return Expression::IsRowMajor ? matrix_.innerStride() : matrix_.outerStride(); }

    const Expression& matrix_;
};

template <class Expression>
requires(!lies_in_memory<Expression>) class Factor<Expression> {
public:
    explicit Factor(const Expression& matrix) : copy_(matrix) {}

    MatrixView view() const { return {copy_.data(), copy_.rows(), copy_.cols(), copy_.cols(), 1}; }

private:
    RowMajor copy_;
};

/// What Eigen asks of a product that is not evaluated number by number.
template <class Left, class Right>
struct PrebuiltProduct {
    template <class To>
    static void evalTo(To& to, const Left& left, const Right& right) {
        if constexpr (lies_in_memory<To> && To::IsRowMajor)
            if (to.innerStride() == 1 && (to.outerStride() == to.cols() || to.rows() == 1))
                return multiply(Factor(left).view(), Factor(right).view(), to.data());
        to = product(left, right);
    }
    template <class To>
    static void addTo(To& to, const Left& left, const Right& right) {
        to += product(left, right);
    }
    template <class To>
    static void subTo(To& to, const Left& left, const Right& right) {
        to -= product(left, right);
    }
    template <class To>
    static void scaleAndAddTo(To& to, const Left& left, const Right& right, float factor) {
        to += factor * product(left, right);
    }

private:
    static RowMajor product(const Left& left, const Right& right) {
        RowMajor result(left.rows(), right.cols());
        multiply(Factor(left).view(), Factor(right).view(), result.data());
        return result;
    }
};

template <class Left, class Right>
concept OfFloats = std::is_same_v<typename Left::Scalar, float> && std::is_same_v<typename Right::Scalar, float>;

}  // namespace headway::detail

// Another version keeps its own kernels, which are as right; and so does a file that forbids Eigen to allocate.
#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90) && !defined(EIGEN_RUNTIME_NO_MALLOC)
namespace Eigen::internal {

template <class Left, class Right>
requires headway::detail::OfFloats<Left, Right>
struct generic_product_impl<Left, Right, DenseShape, DenseShape, GemmProduct>
    : headway::detail::PrebuiltProduct<Left, Right> {
};

template <class Left, class Right>
requires headway::detail::OfFloats<Left, Right>
struct generic_product_impl<Left, Right, DenseShape, DenseShape, GemvProduct>
    : headway::detail::PrebuiltProduct<Left, Right> {
};

}  // namespace Eigen::internal
#endif
