#include "head_splitting.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace headway::ex02 {

namespace {

void gather(const Tensor& x, std::vector<float>& into) {
    if (x.rank() == 0) {
        into.push_back(x());
    } else {
        for (Index i = 0; i < x.size(0); ++i) gather(x[i], into);
    }
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = step;
        step *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (const Index size : shape) n *= size;
    if (n != x.numel()) throw std::invalid_argument("view: shape does not fit");
    if (!x.is_contiguous()) throw std::invalid_argument("view: strides do not fit");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank())
        throw std::invalid_argument("transpose: axes do not fit");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    std::vector<float> ordered;
    gather(x, ordered);
    Tensor sorted = x.as_strided(x.shape(), contiguous_strides(x.shape()), x.offset());
    std::copy(ordered.begin(), ordered.end(), sorted.data());
    return sorted;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank does not fit");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: heads do not fit");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
