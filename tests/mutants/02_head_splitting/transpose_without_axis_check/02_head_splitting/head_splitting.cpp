#include "head_splitting.hpp"

#include <stdexcept>
#include <utility>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index size_behind = 1;
    for (std::size_t axis = shape.size(); axis > 0; axis--) {
        strides[axis - 1] = size_behind;
        size_behind *= shape[axis - 1];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (Index size : shape) count *= size;
    if (x.numel() != count) throw std::invalid_argument("view: counts are not equal");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Layout layout = x.layout();
    std::swap(layout.shape.data()[axis0], layout.shape.data()[axis1]);
    std::swap(layout.strides.data()[axis0], layout.strides.data()[axis1]);
    return x.as_strided(layout.shape, layout.strides, layout.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::zeros(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: (B, T, D) expected");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: wrong num_heads");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
