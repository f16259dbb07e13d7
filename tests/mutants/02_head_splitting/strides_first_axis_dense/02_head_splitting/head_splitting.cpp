#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index step = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        strides[axis] = step;
        step *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index wanted = 1;
    for (Index size : shape) wanted *= size;
    if (wanted != x.numel()) throw std::invalid_argument("view: the number of elements must stay the same");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank())
        throw std::out_of_range("transpose: no such axis");
    const auto a = static_cast<std::size_t>(axis0), b = static_cast<std::size_t>(axis1);
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[a], shape[b]);
    std::swap(strides[a], strides[b]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::zeros(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x must be (B, T, D)");
    if (num_heads < 1) throw std::invalid_argument("split_heads: at least one head");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = D / num_heads;
    if (d * num_heads != D) throw std::invalid_argument("split_heads: D is not divisible by num_heads");
    return x.as_strided({B, num_heads, T, d}, {T * D, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
