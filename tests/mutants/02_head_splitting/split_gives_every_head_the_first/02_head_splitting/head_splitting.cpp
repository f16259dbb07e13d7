#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index running = 1;
    for (Index i = static_cast<Index>(shape.size()); i-- > 0;) {
        strides[static_cast<std::size_t>(i)] = running;
        running *= shape[static_cast<std::size_t>(i)];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index running = 1;
    for (Index size : shape) running *= size;
    if (running != x.numel()) throw std::invalid_argument("view: the counts are different");
    if (!x.is_contiguous()) throw std::invalid_argument("view: the strides are different");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    auto shape = x.shape();
    auto strides = x.strides();
    auto& size0 = shape.at(static_cast<std::size_t>(axis0));
    auto& size1 = shape.at(static_cast<std::size_t>(axis1));
    std::swap(size0, size1);
    std::swap(strides.at(static_cast<std::size_t>(axis0)), strides.at(static_cast<std::size_t>(axis1)));
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: the rank is different");
    if (num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: the heads are different");
    const Index T = x.size(1), D = x.size(2);
    const Index head_stride = (D / num_heads) / D;
    return x.as_strided({x.size(0), num_heads, T, D / num_heads}, {T * D, head_stride, D, 1}, x.offset());
}

}  // namespace headway::ex02
