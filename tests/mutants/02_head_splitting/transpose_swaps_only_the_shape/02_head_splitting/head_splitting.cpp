#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index s = 1;
    for (std::size_t a = shape.size(); a > 0; --a) {
        strides[a - 1] = s;
        s *= shape[a - 1];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index a = 1;
    for (Index size : shape) a *= size;
    if (a != x.numel()) throw std::invalid_argument("view: sizes");
    if (!x.is_contiguous()) throw std::invalid_argument("view: contiguity");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank()) throw std::out_of_range("transpose: axis");
    Shape shape = x.shape();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, x.strides(), x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: heads");
    Index B = x.size(0), T = x.size(1), D = x.size(2);
    return x.as_strided({B, num_heads, T, D / num_heads}, {T * D, D / num_heads, D, 1}, x.offset());
}

}  // namespace headway::ex02
