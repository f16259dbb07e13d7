#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides result = shape;
    Index step = 1;
    for (auto entry = result.rbegin(); entry != result.rend(); ++entry) {
        const Index size = *entry;
        *entry = step;
        step *= size;
    }
    return result;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (const Index size : shape) n *= size;
    if (n != x.numel()) throw std::invalid_argument("view: " + std::to_string(n) + " is not the number of elements");
    const Tensor dense = contiguous(x);
    return dense.as_strided(shape, contiguous_strides(shape), dense.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    for (const Index axis : {axis0, axis1})
        if (axis < 0 || axis >= x.rank()) throw std::invalid_argument("transpose: no axis " + std::to_string(axis));
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor dense = Tensor::empty(x.shape());
    dense.copy_from(x);
    return dense;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: not of rank 3");
    if (num_heads < 1) throw std::invalid_argument("split_heads: no heads");
    const Index d = x.size(2) / num_heads;
    if (d * num_heads != x.size(2)) throw std::invalid_argument("split_heads: not divisible");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, d}), 1, 2);
}

}  // namespace headway::ex02
