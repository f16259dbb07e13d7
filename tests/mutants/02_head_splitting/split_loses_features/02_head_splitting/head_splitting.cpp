#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index size = 1;
    for (std::size_t axis = shape.size(); axis != 0; --axis) {
        strides[axis - 1] = size;
        size *= shape[axis - 1];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index size = 1;
    for (const Index s : shape) size *= s;
    if (size != x.numel()) throw std::invalid_argument("view: size " + std::to_string(size));
    if (!x.is_contiguous()) throw std::invalid_argument("view: strides " + to_string(x.strides()));
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank()) throw std::out_of_range("transpose: axis " + std::to_string(axis0));
    if (axis1 < 0 || axis1 >= x.rank()) throw std::out_of_range("transpose: axis " + std::to_string(axis1));
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
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank " + std::to_string(x.rank()));
    if (num_heads < 1) throw std::invalid_argument("split_heads: heads " + std::to_string(num_heads));
    const Index head_dim = x.size(2) / num_heads;
    const Strides& s = x.strides();
    Tensor per_token = x.as_strided({x.size(0), x.size(1), num_heads, head_dim}, {s[0], s[1], head_dim, 1}, x.offset());
    return transpose(per_token, 1, 2);
}

}  // namespace headway::ex02
