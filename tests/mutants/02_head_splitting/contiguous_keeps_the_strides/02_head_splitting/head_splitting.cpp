#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index so_far = 1;
    for (Index axis = static_cast<Index>(shape.size()) - 1; axis >= 0; --axis) {
        strides[static_cast<std::size_t>(axis)] = so_far;
        so_far *= shape[static_cast<std::size_t>(axis)];
    }
    return strides;
}

static bool same_count(const Shape& a, const Shape& b) {
    Index count_a = 1, count_b = 1;
    for (const Index size : a) count_a *= size;
    for (const Index size : b) count_b *= size;
    return count_a == count_b;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (!same_count(x.shape(), shape)) throw std::invalid_argument("view: not the same count");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank())
        throw std::invalid_argument("transpose: axes");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    return x.clone();
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: not (B, T, D), or not D = H · d");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
