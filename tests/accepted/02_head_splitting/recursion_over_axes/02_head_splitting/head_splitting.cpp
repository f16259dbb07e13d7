#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

namespace {

/// Appends the strides of shape[axis...] and returns how many elements they span.
Index build(const Shape& shape, size_t axis, Strides& strides) {
    if (axis == shape.size()) return 1;
    const Index behind = build(shape, axis + 1, strides);
    strides[axis] = behind;
    return behind * shape[axis];
}

void copy(const Tensor& from, Tensor to) {
    if (from.rank() == 0) {
        to() = from();
        return;
    }
    for (Index i = 0; i < from.size(0); ++i) copy(from[i], to[i]);
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    build(shape, 0, strides);
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Strides strides(shape.size());
    for (Index size : shape)
        if (size < 0) throw std::invalid_argument("negative size");
    if (build(shape, 0, strides) != x.numel()) throw std::invalid_argument("element counts differ");
    if (!x.is_contiguous()) throw std::invalid_argument("x is not contiguous; use contiguous(x) first");
    return x.as_strided(shape, strides);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    for (Index axis : {axis0, axis1})
        if (axis < 0 || axis >= x.rank()) throw std::invalid_argument("no axis " + std::to_string(axis));
    auto shape = x.shape();
    auto strides = x.strides();
    std::swap(shape[axis0], shape[axis1]);
    std::swap(strides[axis0], strides[axis1]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    // with the strides that were promised, even where an axis of size 1 had odd ones
    if (x.is_contiguous()) return x.as_strided(x.shape(), contiguous_strides(x.shape()));
    Tensor result = Tensor::zeros(x.shape());
    copy(x, result);
    return result;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("x must be (B, T, D), it is " + to_string(x.shape()));
    if (num_heads <= 0) throw std::invalid_argument("num_heads must be positive");
    const Index d = x.size(-1) / num_heads;
    if (d * num_heads != x.size(-1)) throw std::invalid_argument("D is not a multiple of num_heads");
    const Tensor by_head = view(x, Shape{x.size(0), x.size(1), num_heads, d});
    return transpose(by_head, 2, 1);
}

}  // namespace headway::ex02
