#include "head_splitting.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index product = 1;
    for (std::size_t i = shape.size(); i-- > 0; product *= shape[i]) strides[i] = product;
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index product = 1;
    for (Index size : shape) product *= size;
    if (product != x.numel()) throw std::invalid_argument("view: the product of the sizes is not numel");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank()) throw std::out_of_range("transpose: axis");
    const auto a = static_cast<std::size_t>(axis0), b = static_cast<std::size_t>(axis1);
    Shape shape = x.shape();
    std::swap(shape[a], shape[b]);

    const float* from = x.data();
    std::vector<float> moved;
    std::vector<Index> index(shape.size(), 0);
    for (Index n = 0; n < x.numel(); ++n) {
        Index at = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            const std::size_t source = axis == a ? b : axis == b ? a : axis;
            at += index[axis] * x.strides()[source];
        }
        moved.push_back(from[at]);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            if (++index[axis] < shape[axis]) break;
            index[axis] = 0;
        }
    }
    return Tensor::of(shape, moved);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x is not (B, T, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: bad num_heads");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = D / num_heads;
    return x.as_strided({B, num_heads, T, d}, {T * D, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
