#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides.at(axis) = stride;
        stride *= shape.at(axis);
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (Index size : shape) count *= size;
    if (count != x.numel()) throw std::invalid_argument("view: wrong shape " + to_string(shape));
    if (!x.is_contiguous()) throw std::invalid_argument("view: wrong strides " + to_string(x.strides()));
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape.at(static_cast<std::size_t>(axis0)), shape.at(static_cast<std::size_t>(axis1)));
    std::swap(strides.at(static_cast<std::size_t>(axis0)), strides.at(static_cast<std::size_t>(axis1)));
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    return x;  // a tensor is one block of memory anyway
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: wrong rank");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: wrong number of heads");
    Tensor heads = view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
    return transpose(heads, 1, 2);
}

}  // namespace headway::ex02
