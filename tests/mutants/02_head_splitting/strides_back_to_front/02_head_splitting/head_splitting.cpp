#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides result;
    Index stride = 1;
    for (int i = static_cast<int>(shape.size()) - 1; i >= 0; i--) {
        result.push_back(stride);
        stride *= shape[static_cast<std::size_t>(i)];
    }
    return result;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (std::size_t i = 0; i < shape.size(); i++) n *= shape[i];
    if (n != x.numel()) throw std::invalid_argument("wrong number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("not contiguous");
    Strides strides(shape.size(), 1);
    for (std::size_t i = 0; i < shape.size(); i++)
        for (std::size_t j = i + 1; j < shape.size(); j++) strides[i] *= shape[j];
    return x.as_strided(shape, strides, x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape.at(static_cast<std::size_t>(axis0)), shape.at(static_cast<std::size_t>(axis1)));
    std::swap(strides.at(static_cast<std::size_t>(axis0)), strides.at(static_cast<std::size_t>(axis1)));
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    return Tensor::zeros(x.shape()) + x;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("x must have three axes");
    if (num_heads < 1) throw std::invalid_argument("num_heads must be positive");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("D must be a multiple of num_heads");
    Index d = x.size(2) / num_heads;
    return transpose(view(x, {x.size(0), x.size(1), num_heads, d}), 1, 2);
}

}  // namespace headway::ex02
