#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index next = 1;
    std::size_t axis = shape.size();
    while (axis > 0) {
        --axis;
        strides[axis] = next;
        next *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (Index size : shape) n *= size;
    if (n != x.numel() || !x.is_contiguous()) throw std::invalid_argument("view: x cannot be seen like this");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Index n = x.rank();
    if (axis0 < 0 || axis1 < 0 || axis0 >= n || axis1 >= n) throw std::out_of_range("transpose: x has no such axis");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: x cannot be split like this");
    const Index head_dim = x.size(2) / num_heads;
    const Index batch_stride = num_heads * head_dim;
    const Index head_stride = head_dim;
    const Index token_stride = num_heads * head_dim;
    return x.as_strided({x.size(0), num_heads, x.size(1), head_dim}, {batch_stride, head_stride, token_stride, 1},
                        x.offset());
}

}  // namespace headway::ex02
