#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    Index step = 1;
    for (auto it = shape.rbegin(); it != shape.rend(); ++it) {
        strides.insert(strides.begin(), step);
        step *= *it;
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index have = x.numel(), want = 1;
    for (Index size : shape) want *= size;
    if (have != want) throw std::invalid_argument("view: have and want differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: want contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Shape shape;
    Strides strides;
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank()) throw std::out_of_range("transpose: axis");
    for (Index axis = 0; axis < x.rank(); ++axis) {
        Index source = axis;
        if (axis == axis0) source = axis1;
        if (axis == axis1) source = axis0;
        shape.push_back(x.shape()[static_cast<std::size_t>(source)]);
        strides.push_back(x.strides()[static_cast<std::size_t>(source)]);
    }
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::zeros(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1) throw std::invalid_argument("split_heads: want (B, T, D) and heads");
    const Index head_dim = x.size(2) / num_heads;
    if (head_dim * num_heads != x.size(2)) throw std::invalid_argument("split_heads: want D = H·d");
    return view(x, {x.size(0), x.size(1), num_heads, head_dim});
}

}  // namespace headway::ex02
