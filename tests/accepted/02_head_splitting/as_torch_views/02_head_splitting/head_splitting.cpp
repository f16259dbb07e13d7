#include "head_splitting.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace headway::ex02 {

namespace {

Index count(const Shape& shape) {
    Index n = 1;
    for (Index size : shape) n *= size;
    return n;
}

/// Strides of `shape` over the same elements, or nothing.   [ATen/TensorUtils.cpp, computeStride]
///
/// Walks both shapes from the back. A run of old axes that lie densely behind each other is one piece of memory, and
/// each piece has to be used up exactly by a run of new axes.
std::optional<Strides> view_strides(const Tensor& x, const Shape& shape) {
    if (x.numel() == 0) return contiguous_strides(shape);
    Strides result(shape.size());
    auto to_fill = static_cast<Index>(shape.size()) - 1;
    Index base = x.rank() > 0 ? x.strides().back() : 1;
    Index piece = 1, filled = 1;
    for (Index axis = x.rank() - 1; axis >= 0; --axis) {
        piece *= x.shape()[axis];
        const bool ends_here = axis == 0 || (x.shape()[axis - 1] != 1 && x.strides()[axis - 1] != piece * base);
        if (!ends_here) continue;
        while (to_fill >= 0 && (filled < piece || shape[to_fill] == 1)) {
            result[to_fill] = filled * base;
            filled *= shape[to_fill];
            --to_fill;
        }
        if (filled != piece) return std::nullopt;
        if (axis > 0) {
            base = x.strides()[axis - 1];
            piece = filled = 1;
        }
    }
    for (; to_fill >= 0; --to_fill) result[to_fill] = base;  // only sizes of 1 are left
    return result;
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index stride = 1;
    for (auto axis = shape.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (std::ranges::any_of(shape, [](Index size) { return size < 0; }))
        throw std::invalid_argument("view: negative size in " + to_string(shape));
    if (count(shape) != x.numel())
        throw std::invalid_argument("view: " + to_string(x.shape()) + " does not have as many elements as " +
                                    to_string(shape));
    const auto strides = view_strides(x, shape);
    if (!strides) throw std::invalid_argument("view: the strides cannot express " + to_string(shape) + "; copy first");
    return x.as_strided(shape, *strides);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0) axis0 += x.rank();
    if (axis1 < 0) axis1 += x.rank();
    if (std::min(axis0, axis1) < 0 || std::max(axis0, axis1) >= x.rank())
        throw std::out_of_range("transpose: no such axis in " + to_string(x.shape()));
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[axis0], shape[axis1]);
    std::swap(strides[axis0], strides[axis1]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: cannot deal " + to_string(x.shape()) + " out to " +
                                    std::to_string(num_heads) + " heads");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
