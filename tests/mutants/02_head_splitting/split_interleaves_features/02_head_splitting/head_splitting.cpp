#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) { return Layout::contiguous(shape).strides; }

Tensor view(const Tensor& x, const Shape& shape) {
    const Layout dense = Layout::contiguous(shape);
    if (dense.numel() != x.numel() || !x.is_contiguous())
        throw std::invalid_argument("view: no " + to_string(shape) + " of " + to_string(x.shape()));
    return x.as_strided(shape, dense.strides, x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Layout layout = x.layout();
    const auto from = static_cast<std::size_t>(layout.normalised_axis(axis0));
    const auto to = static_cast<std::size_t>(layout.normalised_axis(axis1));
    std::swap(layout.shape[from], layout.shape[to]);
    std::swap(layout.strides[from], layout.strides[to]);
    return x.as_strided(layout.shape, layout.strides, layout.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor dense = Tensor::empty(x.shape());
    dense.copy_from(x);
    return dense;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: no (B, T, D): " + to_string(x.shape()));
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0)
        throw std::invalid_argument("split_heads: no " + std::to_string(num_heads) + " heads of " + std::to_string(D));
    const Tensor dealt = view(x, {B, T, D / num_heads, num_heads});  // (B, T, d, H)
    return transpose(transpose(dealt, 2, 3), 1, 2);                  // (B, T, H, d) -> (B, H, T, d)
}

}  // namespace headway::ex02
