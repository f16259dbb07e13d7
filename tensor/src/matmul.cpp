#include "checks.hpp"
#include "rows.hpp"

#include <headway/engine.hpp>

namespace headway::ops {
namespace {

/// The layout of the axes in front of the matrices.
Layout leading(const Tensor& x) {
    return {Shape(x.shape().begin(), x.shape().end() - 2), Strides(x.strides().begin(), x.strides().end() - 2), 0};
}

bool leading_axes_broadcast(const Tensor& a, const Tensor& b) {
    try {
        broadcast_shapes(leading(a).shape, leading(b).shape, "");
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

/// Which transposition would make the shapes fit, if one does.
std::string suggestion(const Tensor& a, const Tensor& b) {
    if (!leading_axes_broadcast(a, b)) return "";
    if (a.size(-1) == b.size(-1)) return "; did you mean b.transpose(-2, -1)?";
    if (a.size(-2) == b.size(-2)) return "; did you mean a.transpose(-2, -1)?";
    return "";
}

void require_shapes_fit(const Tensor& a, const Tensor& b) {
    require_defined(a, "matmul");
    require_defined(b, "matmul");
    const std::string what = "matmul: " + to_string(a.shape()) + " x " + to_string(b.shape()) + ": ";
    if (a.rank() < 2 || b.rank() < 2)
        throw std::invalid_argument(what + "each needs at least two axes, rows and columns");
    if (a.size(-1) != b.size(-2))
        throw std::invalid_argument(what + "inner sizes " + std::to_string(a.size(-1)) + " and " +
                                    std::to_string(b.size(-2)) + " differ" + suggestion(a, b));
    if (!leading_axes_broadcast(a, b))
        throw std::invalid_argument(what + "leading axes " + to_string(leading(a).shape) + " and " +
                                    to_string(leading(b).shape) + " do not broadcast");
}

/// The matrix of `x` that begins at `position`.
detail::MatrixView matrix_at(const Tensor& x, Index position) {
    const std::size_t rank = x.shape().size();
    return {x.data() + position, x.size(-2), x.size(-1), x.strides()[rank - 2], x.strides()[rank - 1]};
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
    require_shapes_fit(a, b);
    const Shape batch = broadcast_shapes(leading(a).shape, leading(b).shape, "matmul");
    Shape shape = batch;
    shape.push_back(a.size(-2));
    shape.push_back(b.size(-1));

    Tensor product = Tensor::empty(shape);
    const Strides batch_of_product = leading(product).strides;
    const Strides batch_of_a = leading(a).expand(batch).strides;
    const Strides batch_of_b = leading(b).expand(batch).strides;
    for_each_row<3>(batch, {&batch_of_product, &batch_of_a, &batch_of_b}, [&](auto at, auto step, Index count) {
        detail::MatrixView left = matrix_at(a, at[1]);
        if (step[2] == 0 && step[1] == left.rows * left.row_stride) {  // below each other, and times the same matrix
            left.rows *= count;
            count = 1;
        }
        for (Index i = 0; i < count; ++i, left.data += step[1])
            detail::multiply(left, matrix_at(b, at[2] + i * step[2]), product.data() + at[0] + i * step[0]);
    });
    return product;
}

}  // namespace headway::ops
