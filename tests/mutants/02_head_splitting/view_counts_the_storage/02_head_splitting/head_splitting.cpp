#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) { return Layout::contiguous(shape).strides; }

Tensor view(const Tensor& x, const Shape& shape) {
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is not contiguous");
    const Layout layout = Layout::contiguous(shape);
    if (layout.numel() != x.storage_size())
        throw std::invalid_argument("view: the storage has " + std::to_string(x.storage_size()) + " elements");
    return x.as_strided(layout.shape, layout.strides, x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto axis_a = static_cast<std::size_t>(x.layout().normalised_axis(axis0));
    const auto axis_b = static_cast<std::size_t>(x.layout().normalised_axis(axis1));
    Layout layout = x.layout();
    std::swap(layout.shape[axis_a], layout.shape[axis_b]);
    std::swap(layout.strides[axis_a], layout.strides[axis_b]);
    return x.as_strided(layout.shape, layout.strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads");
    const Shape per_token{x.size(0), x.size(1), num_heads, x.size(2) / num_heads};
    return transpose(x.as_strided(per_token, contiguous_strides(per_token), x.offset()), 1, 2);
}

}  // namespace headway::ex02
