#include "head_splitting.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex02 {

static Index count_elements(const Shape& shape) {
    Index n = 1;
    for (const Index s : shape) n *= s;
    return n;
}

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size(), 1);
    for (Index i = static_cast<Index>(shape.size()) - 2; i >= 0; --i) {
        const auto u = static_cast<std::size_t>(i);
        strides[u] = strides[u + 1] * shape[u + 1];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (count_elements(shape) != count_elements(x.shape())) throw std::invalid_argument("view: counts differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: only contiguous tensors");
    Tensor y = Tensor::empty(shape);
    std::copy(x.data(), x.data() + x.numel(), y.data());
    return y;
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank()) throw std::out_of_range("transpose: axis0");
    if (axis1 < 0 || axis1 >= x.rank()) throw std::out_of_range("transpose: axis1");
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
    if (num_heads < 1) throw std::invalid_argument("split_heads: num_heads < 1");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: D % num_heads != 0");
    const Index d = x.size(2) / num_heads;
    const Tensor per_token =
        x.as_strided({x.size(0), x.size(1), num_heads, d}, {x.size(1) * x.size(2), x.size(2), d, 1}, x.offset());
    return transpose(per_token, 1, 2);
}

}  // namespace headway::ex02
