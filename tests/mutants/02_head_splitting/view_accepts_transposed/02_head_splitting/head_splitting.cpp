#include "head_splitting.hpp"

#include <numeric>
#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    std::exclusive_scan(shape.rbegin(), shape.rend(), strides.rbegin(), Index{1}, std::multiplies<Index>());
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    const Index wanted = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<Index>());
    if (wanted != x.numel()) throw std::invalid_argument("view: numel must not change");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Shape shape = x.shape();
    Strides strides = x.strides();
    const auto a = static_cast<std::size_t>(axis0);
    const auto b = static_cast<std::size_t>(axis1);
    std::swap(shape.at(a), shape.at(b));  // at() throws std::out_of_range
    std::swap(strides.at(a), strides.at(b));
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.strides() == contiguous_strides(x.shape())) return x;
    if (x.is_contiguous()) return x.as_strided(x.shape(), contiguous_strides(x.shape()), x.offset());
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank 3 expected");
    if (num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: num_heads must divide D");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
