#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (Index size : shape) count *= size;
    if (count != x.numel()) throw std::invalid_argument("view: number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto a0 = static_cast<std::size_t>(x.layout().normalised_axis(axis0));
    const auto a1 = static_cast<std::size_t>(x.layout().normalised_axis(axis1));
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[a0], shape[a1]);
    std::swap(strides[a0], strides[a1]);
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
        throw std::invalid_argument("split_heads: D must be H·d");
    const Index d = x.size(2) / num_heads;
    Tensor heads = Tensor::empty({x.size(0), num_heads, x.size(1), d});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < num_heads; ++h) heads[b][h].copy_from(x[b].slice(1, h * d, (h + 1) * d));
    return heads;
}

}  // namespace headway::ex02
