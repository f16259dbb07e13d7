#include "head_splitting.hpp"

#include <stdexcept>
#include <utility>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size(), 1);
    for (std::size_t a = 0; a + 1 < shape.size(); ++a) strides[a] = shape[a + 1];
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    const Layout dense = Layout::contiguous(shape);
    if (dense.numel() != x.numel()) throw std::invalid_argument("view: other number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is not contiguous");
    return x.as_strided(shape, dense.strides);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto a = static_cast<std::size_t>(x.layout().normalised_axis(axis0));
    const auto b = static_cast<std::size_t>(x.layout().normalised_axis(axis1));
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[a], shape[b]);
    std::swap(strides[a], strides[b]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank 3 is needed");
    if (num_heads < 1) throw std::invalid_argument("split_heads: at least one head");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = D / num_heads;
    if (d * num_heads != D) throw std::invalid_argument("split_heads: D is not divisible by num_heads");
    return x.as_strided({B, num_heads, T, d}, {T * D, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
