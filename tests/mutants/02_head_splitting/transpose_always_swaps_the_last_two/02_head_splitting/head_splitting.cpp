#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
        strides[i] = 1;
        for (std::size_t j = shape.size() - 1; j > i; --j) strides[i] *= shape[j];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    const Layout wanted{shape, contiguous_strides(shape), x.offset()};
    if (wanted.numel() != x.numel()) throw std::invalid_argument("view: " + to_string(shape));
    if (!x.is_contiguous()) throw std::invalid_argument("view: strides " + to_string(x.strides()));
    return x.as_strided(wanted.shape, wanted.strides, wanted.offset);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank()) throw std::invalid_argument("transpose: axis0 = " + std::to_string(axis0));
    if (axis1 < 0 || axis1 >= x.rank()) throw std::invalid_argument("transpose: axis1 = " + std::to_string(axis1));
    if (axis0 == axis1) return x;
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::zeros(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: " + to_string(x.shape()));
    if (num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: " + std::to_string(num_heads) + " heads");
    const Index d = x.size(2) / num_heads;
    const auto& s = x.strides();
    return x.as_strided({x.size(0), num_heads, x.size(1), d}, {s[0], d * s[2], s[1], s[2]}, x.offset());
}

}  // namespace headway::ex02
