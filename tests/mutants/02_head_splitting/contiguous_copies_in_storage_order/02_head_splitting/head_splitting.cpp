#include "head_splitting.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index dense = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = dense;
        dense *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index total = 1;
    for (const Index& size : shape) total *= size;
    if (total != x.numel()) throw std::invalid_argument("view: total number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x.is_contiguous() is false");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    auto [shape, strides, offset] = x.layout();
    const Index rank = x.rank();
    if (axis0 < 0 || axis1 < 0 || axis0 >= rank || axis1 >= rank) throw std::out_of_range("transpose: axes");
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides, offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::zeros(x.shape());
    const Index count = std::min(x.numel(), x.storage_size() - x.offset());
    std::copy_n(x.data(), count, copy.data());
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x.rank()");
    if (num_heads < 1) throw std::invalid_argument("split_heads: num_heads");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: x.size(2) % num_heads");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
