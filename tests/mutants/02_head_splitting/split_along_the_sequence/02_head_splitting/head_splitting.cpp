#include "head_splitting.hpp"

#include <numeric>
#include <stdexcept>

namespace headway::ex02 {

static Index numel_of(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), static_cast<Index>(1), [](Index a, Index b) { return a * b; });
}

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    for (auto it = shape.begin(); it != shape.end(); ++it) strides.push_back(numel_of(Shape(it + 1, shape.end())));
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (numel_of(shape) != x.numel()) throw std::invalid_argument("view: the shape holds another number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: the strides are not those of a contiguous tensor");
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
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x has to be (B, T, D)");
    if (num_heads < 1) throw std::invalid_argument("split_heads: num_heads has to be positive");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (D % num_heads != 0) throw std::invalid_argument("split_heads: D has to be a multiple of num_heads");
    return x.as_strided({B, num_heads, T / num_heads, D}, {T * D, T / num_heads * D, D, 1}, x.offset());
}

}  // namespace headway::ex02
