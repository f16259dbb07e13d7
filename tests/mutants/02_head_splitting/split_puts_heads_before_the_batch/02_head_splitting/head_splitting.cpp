#include "head_splitting.hpp"

#include <functional>
#include <numeric>
#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    std::exclusive_scan(shape.crbegin(), shape.crend(), strides.rbegin(), Index{1}, std::multiplies<>{});
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (std::accumulate(shape.cbegin(), shape.cend(), Index{1}, std::multiplies<>{}) != x.numel())
        throw std::invalid_argument("view: numel must stay " + std::to_string(x.numel()));
    if (!x.is_contiguous()) throw std::invalid_argument("view: x must be contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank())
        throw std::out_of_range("transpose: axes must be below " + std::to_string(x.rank()));
    Layout y = x.layout();
    std::swap(*(y.shape.begin() + axis0), *(y.shape.begin() + axis1));
    std::swap(*(y.strides.begin() + axis0), *(y.strides.begin() + axis1));
    return x.as_strided(y.shape, y.strides, y.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x must be (B, T, D)");
    if (num_heads < 1) throw std::invalid_argument("split_heads: num_heads must be positive");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: num_heads must divide D");
    const Tensor heads_last = view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
    const Tensor heads_first = transpose(heads_last, 0, 2);  // (H, T, B, d)
    return transpose(heads_first, 1, 2);
}

}  // namespace headway::ex02
