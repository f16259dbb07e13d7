#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size(), 1);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        for (std::size_t before = 0; before < axis; ++before) strides[before] *= shape[axis];
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (Layout::contiguous(shape).numel() != x.numel()) throw std::invalid_argument("view: another number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is not contiguous, copy it");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Index rank = x.rank();
    // -1 is the last axis
    const auto wrap = [rank](Index axis) { return static_cast<std::size_t>(((axis % rank) + rank) % rank); };
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[wrap(axis0)], shape[wrap(axis1)]);
    std::swap(strides[wrap(axis0)], strides[wrap(axis1)]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor result = Tensor::empty(x.shape());
    result.copy_from(x);
    return result;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: another rank than 3");
    if (num_heads < 1) throw std::invalid_argument("split_heads: fewer heads than 1");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: heads of unequal width");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
