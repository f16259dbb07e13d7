#include "head_splitting.hpp"

#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    // (d0, d1, ..., dn) -> (d1·...·dn, ..., dn, 1)
    Strides strides(shape.size());
    Index behind = 1;  // how many elements one step along the axis skips
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = behind;
        behind *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    // x of any shape -> shape, over the same storage
    const Index count = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
    if (count != x.numel())
        throw std::invalid_argument("view: " + to_string(x.shape()) + " has " + std::to_string(x.numel()) +
                                    " elements, " + to_string(shape) + " has " + std::to_string(count));
    if (!x.is_contiguous())
        throw std::invalid_argument("view: " + to_string(x.shape()) + " with strides " + to_string(x.strides()) +
                                    " does not lie in row-major order; call contiguous first");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    // (..., m, ..., n, ...) -> (..., n, ..., m, ...)
    const auto first = static_cast<std::size_t>(x.layout().normalised_axis(axis0));  // refuses an axis that x lacks
    const auto second = static_cast<std::size_t>(x.layout().normalised_axis(axis1));
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[first], shape[second]);
    std::swap(strides[first], strides[second]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    // The shape stays; the strides become contiguous_strides(shape).
    if (x.is_contiguous()) return view(x, x.shape());
    Tensor copy = Tensor::empty(x.shape());
    if (x.rank() == 1)
        for (Index i = 0; i < x.size(0); ++i) copy(i) = x(i);
    else if (x.rank() == 2)
        for (Index i = 0; i < x.size(0); ++i)
            for (Index j = 0; j < x.size(1); ++j) copy(i, j) = x(i, j);
    else if (x.rank() == 3)
        for (Index i = 0; i < x.size(0); ++i)
            for (Index j = 0; j < x.size(1); ++j)
                for (Index k = 0; k < x.size(2); ++k) copy(i, j, k) = x(i, j, k);
    else
        for (Index i = 0; i < copy.numel(); ++i) copy.data()[i] = x.data()[i % (x.storage_size() - x.offset())];
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    // x (B, T, D) -> (B, T, H, d) -> (B, H, T, d)
    if (x.rank() != 3)
        throw std::invalid_argument("split_heads: x must be (B, T, D), not of shape " + to_string(x.shape()));
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0)
        throw std::invalid_argument("split_heads: the width of x " + to_string(x.shape()) + " cannot be split into " +
                                    std::to_string(num_heads) + " equal heads");
    const Index d = D / num_heads;
    return transpose(view(x, {B, T, num_heads, d}), 1, 2);
}

}  // namespace headway::ex02
