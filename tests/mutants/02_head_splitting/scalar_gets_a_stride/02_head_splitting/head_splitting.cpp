#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides{1};  // the last axis is dense
    for (std::size_t axis = shape.size(); axis > 1; --axis)
        strides.insert(strides.begin(), strides.front() * shape[axis - 1]);
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (const Index size : shape) count *= size;
    if (count != x.numel() || !x.is_contiguous())
        throw std::invalid_argument("view: " + to_string(x.shape()) + " with strides " + to_string(x.strides()) +
                                    " cannot be seen as " + to_string(shape));
    return x.as_strided(shape, shape.empty() ? Strides{} : contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto rank = x.rank();
    if (axis0 >= rank || axis1 >= rank || axis0 < 0 || axis1 < 0) throw std::invalid_argument("transpose: axes");
    Shape order;
    for (Index axis = 0; axis < rank; ++axis) order.push_back(axis);
    std::swap(order[static_cast<std::size_t>(axis0)], order[static_cast<std::size_t>(axis1)]);
    Shape shape;
    Strides strides;
    for (const Index axis : order) {
        shape.push_back(x.shape()[static_cast<std::size_t>(axis)]);
        strides.push_back(x.strides()[static_cast<std::size_t>(axis)]);
    }
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor dense = Tensor::empty(x.shape());
    dense.copy_from(x);
    return dense;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: " + to_string(x.shape()) + " is not (B, T, D)");
    if (num_heads < 1 || x.size(2) % num_heads) throw std::invalid_argument("split_heads: D / num_heads is no integer");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
