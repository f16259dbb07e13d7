#include "head_splitting.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace headway::ex02 {

namespace {

Index product(const Shape& shape) { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>{}); }

Strides row_major(const Shape& shape, Index step) {
    Strides strides(shape.size());
    auto stride = strides.rbegin();
    for (auto size = shape.rbegin(); size != shape.rend(); ++size, ++stride) {
        *stride = step;
        step *= *size;
    }
    return strides;
}

}  // namespace

Strides contiguous_strides(const Shape& shape) { return row_major(shape, sizeof(float)); }

Tensor view(const Tensor& x, const Shape& shape) {
    if (product(shape) != product(x.shape())) throw std::invalid_argument("view: count of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is scattered in memory");
    return x.as_strided(shape, row_major(shape, 1), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (std::min(axis0, axis1) < 0 || std::max(axis0, axis1) >= x.rank())
        throw std::invalid_argument("transpose: axis");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::iter_swap(shape.begin() + axis0, shape.begin() + axis1);
    std::iter_swap(strides.begin() + axis0, strides.begin() + axis1);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: num_heads");
    const Tensor four = view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
    return transpose(four, 1, 2);
}

}  // namespace headway::ex02
