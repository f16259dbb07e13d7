#include "head_splitting.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace headway::ex02 {

namespace {

Index count_of(const Shape& shape) {
    Index n = 1;
    for (const Index size : shape) n *= size;
    return n;
}

std::size_t checked_axis(Index axis, Index rank) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) throw std::out_of_range("transpose: there is no such axis");
    return static_cast<std::size_t>(axis);
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index step = 1;
    for (std::size_t a = shape.size(); a > 0; --a) {
        strides[a - 1] = step;
        step *= shape[a - 1];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (count_of(shape) != x.numel()) throw std::invalid_argument("view: the numbers of elements differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is not contiguous");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const std::size_t first = checked_axis(axis0, x.rank());
    const std::size_t second = checked_axis(axis1, x.rank());
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[first], shape[second]);
    std::swap(strides[first], strides[second]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    const float* from = x.data();
    float* to = copy.data();
    for (Index n = 0; n < x.numel(); ++n) {
        // Which element is number n, and where does it lie?
        Index rest = n;
        Index position = 0;
        for (std::size_t a = 0; a < x.shape().size(); ++a) {
            position += (rest % x.shape()[a]) * x.strides()[a];
            rest /= x.shape()[a];
        }
        to[n] = from[position];
    }
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x must be (B, T, D)");
    if (num_heads < 1) throw std::invalid_argument("split_heads: at least one head is needed");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: D is not divisible by num_heads");
    const Tensor by_token = view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
    return transpose(by_token, 1, 2);
}

}  // namespace headway::ex02
