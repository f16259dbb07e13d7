#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides s(shape.size());
    Index acc = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        s[i] = acc;
        acc *= shape[i];
    }
    return s;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (!x.is_contiguous()) throw std::invalid_argument("view needs a contiguous tensor");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Index n = x.rank();
    if (axis0 < 0) axis0 += n;
    if (axis1 < 0) axis1 += n;
    if (axis0 < 0 || axis0 >= n || axis1 < 0 || axis1 >= n) throw std::out_of_range("transpose: no such axis");
    auto i = static_cast<std::size_t>(axis0);
    auto j = static_cast<std::size_t>(axis1);
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[i], shape[j]);
    std::swap(strides[i], strides[j]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads needs (B, T, D)");
    if (num_heads < 1) throw std::invalid_argument("split_heads needs a head");
    Index d = x.size(2) / num_heads;
    if (x.size(2) != d * num_heads) throw std::invalid_argument("split_heads needs D divisible by num_heads");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, d}), 1, 2);
}

}  // namespace headway::ex02
