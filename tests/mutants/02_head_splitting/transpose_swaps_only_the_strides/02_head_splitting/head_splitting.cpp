#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

namespace {

std::size_t checked_axis(const Tensor& x, Index axis) {
    if (axis < 0 || axis >= x.rank())
        throw std::out_of_range("axis " + std::to_string(axis) + " of a tensor of rank " + std::to_string(x.rank()));
    return static_cast<std::size_t>(axis);
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    for (auto size = shape.begin(); size != shape.end(); ++size) {
        Index behind = 1;
        for (auto other = size + 1; other != shape.end(); ++other) behind *= *other;
        strides.push_back(behind);
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (const Index size : shape) count *= size;
    if (count != x.numel()) throw std::invalid_argument("view: a view has as many elements as before");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x must be contiguous");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Strides strides = x.strides();
    std::swap(strides[checked_axis(x, axis0)], strides[checked_axis(x, axis1)]);
    return x.as_strided(x.shape(), strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: (B, T, D) with D a multiple of num_heads is needed");
    const Index D = x.size(2), d = D / num_heads;
    return x.as_strided({x.size(0), num_heads, x.size(1), d}, {x.size(1) * D, d, D, 1});
}

}  // namespace headway::ex02
