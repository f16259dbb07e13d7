#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index stride = 1;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const std::size_t axis = shape.size() - 1 - k;
        strides[axis] = stride;
        stride *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (Index size : shape) count *= size;
    if (count != x.numel()) throw std::invalid_argument("view: shape is invalid");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto first = static_cast<std::size_t>(x.layout().normalised_axis(axis0));
    const auto second = static_cast<std::size_t>(x.layout().normalised_axis(axis1));
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[first], shape[second]);
    std::swap(strides[first], strides[second]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x is not of rank 3");
    const Index D = x.size(2);
    if (D % num_heads != 0) throw std::invalid_argument("split_heads: D is not divisible by num_heads");
    // as_strided refuses negative sizes
    return transpose(view(x, {x.size(0), x.size(1), num_heads, D / num_heads}), 1, 2);
}

}  // namespace headway::ex02
