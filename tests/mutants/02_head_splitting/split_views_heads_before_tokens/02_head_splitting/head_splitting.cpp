#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index stride = 1;
    for (std::size_t i = shape.size(); i > 0; i--) {
        strides[i - 1] = stride;
        stride *= shape[i - 1];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (Index size : shape) count *= size;
    if (count != x.numel()) throw std::invalid_argument("view: element counts differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous, call contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank())
        throw std::out_of_range("transpose: there is no such axis");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank must be 3");
    if (num_heads < 1) throw std::invalid_argument("split_heads: num_heads must be at least 1");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: D must be divisible by num_heads");
    Index batch = x.size(0), length = x.size(1), d_model = x.size(2);
    Index d_tensor = d_model / num_heads;
    return view(x, {batch, num_heads, length, d_tensor});
}

}  // namespace headway::ex02
