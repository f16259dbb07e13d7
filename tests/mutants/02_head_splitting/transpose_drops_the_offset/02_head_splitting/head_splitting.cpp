#include "head_splitting.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides reversed;
    Index next = 1;
    std::for_each(shape.rbegin(), shape.rend(), [&](Index size) {
        reversed.push_back(next);
        next *= size;
    });
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index numel = 1;
    std::for_each(shape.begin(), shape.end(), [&numel](Index size) { numel *= size; });
    if (numel != x.numel()) throw std::invalid_argument("view: numel changes");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x has gaps or another order");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto valid = [&x](Index axis) { return axis >= 0 && axis < x.rank(); };
    if (!valid(axis0) || !valid(axis1)) throw std::out_of_range("transpose: axis is not valid");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::iter_swap(shape.begin() + axis0, shape.begin() + axis1);
    std::iter_swap(strides.begin() + axis0, strides.begin() + axis1);
    return x.as_strided(shape, strides, 0);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: arguments are not valid");
    const Index T = x.size(1), D = x.size(2), d = D / num_heads;
    return x.as_strided({x.size(0), num_heads, T, d}, {T * D, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
