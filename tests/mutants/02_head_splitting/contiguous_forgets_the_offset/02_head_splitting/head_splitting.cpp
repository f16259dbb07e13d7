#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size(), 1);
    for (std::size_t k = 1; k < shape.size(); ++k) {
        const std::size_t axis = shape.size() - 1 - k;
        strides[axis] = strides[axis + 1] * shape[axis + 1];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (Index size : shape) n *= size;
    if (n != x.numel()) throw std::invalid_argument("view: elements lost or invented");
    if (!x.is_contiguous()) throw std::invalid_argument("view: use contiguous first");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank())
        throw std::out_of_range("transpose: axis out of range");
    const std::size_t i = static_cast<std::size_t>(axis0), j = static_cast<std::size_t>(axis1);
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[i], shape[j]);
    std::swap(strides[i], strides[j]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    const Tensor storage = x.as_strided({x.storage_size()}, {1}, 0);
    const Strides dense = contiguous_strides(x.shape());
    Tensor result = Tensor::empty(x.shape());
    for (Index n = 0; n < x.numel(); ++n) {
        // n = i0·dense0 + i1·dense1 + ...
        Index rest = n, position = 0;
        for (std::size_t axis = 0; axis < dense.size(); ++axis) {
            position += rest / dense[axis] * x.strides()[axis];
            rest %= dense[axis];
        }
        result.data()[n] = storage(position);
    }
    return result;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: three axes");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: equal heads");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
