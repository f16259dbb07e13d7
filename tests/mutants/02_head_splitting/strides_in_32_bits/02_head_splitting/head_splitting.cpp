#include "head_splitting.hpp"

#include <cstdint>
#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    const std::size_t n = shape.size();
    Strides strides(n);
    std::uint32_t stride = 1;
    for (std::size_t back = 1; back <= n; ++back) {
        strides[n - back] = stride;
        stride *= static_cast<std::uint32_t>(shape[n - back]);
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (auto it = shape.begin(); it != shape.end(); ++it) count *= *it;
    if (count != x.numel()) throw std::invalid_argument("view: not as many elements as before");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous, copy it first");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const std::size_t first = static_cast<std::size_t>(x.layout().normalised_axis(axis0));
    const std::size_t second = static_cast<std::size_t>(x.layout().normalised_axis(axis1));
    Shape new_shape(x.shape());
    Strides new_strides(x.strides());
    new_shape[first] = x.shape()[second];
    new_shape[second] = x.shape()[first];
    new_strides[first] = x.strides()[second];
    new_strides[second] = x.strides()[first];
    return x.as_strided(new_shape, new_strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor result = Tensor::empty(x.shape());
    result.copy_from(x);
    return result;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: three axes are needed");
    if (num_heads <= 0) throw std::invalid_argument("split_heads: num_heads must be positive");
    const Index head_dim = x.size(2) / num_heads;
    if (head_dim * num_heads != x.size(2)) throw std::invalid_argument("split_heads: D does not divide");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, head_dim}), 1, 2);
}

}  // namespace headway::ex02
