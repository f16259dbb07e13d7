#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index wanted = 1;
    for (Index size : shape) wanted *= size;
    if (wanted != x.numel()) throw std::invalid_argument("view: numel");
    if (!x.is_contiguous()) throw std::invalid_argument("view: strides");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Layout& old = x.layout();
    Layout now = old;
    const auto a = static_cast<std::size_t>(old.normalised_axis(axis0));
    const auto b = static_cast<std::size_t>(old.normalised_axis(axis1));
    now.shape[a] = old.shape[b];
    now.shape[b] = old.shape[a];
    now.strides[a] = old.strides[b];
    now.strides[b] = old.strides[a];
    return x.as_strided(now.shape, now.strides, now.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.rank() == 0 || x.strides().back() == 1) return x;
    if (x.is_contiguous()) return x;  // a last axis of size 1
    Tensor packed = Tensor::empty(x.shape());
    packed.copy_from(x);
    return packed;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: num_heads");
    const Index d = x.size(2) / num_heads;
    return transpose(view(x, {x.size(0), x.size(1), num_heads, d}), 1, 2);
}

}  // namespace headway::ex02
