#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

// number of elements from one axis on
static Index elements_behind(const Shape& shape, std::size_t axis) {
    Index count = 1;
    while (axis < shape.size()) count *= shape[axis++];
    return count;
}

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) strides.push_back(elements_behind(shape, axis));
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (elements_behind(shape, 0) != x.numel())
        throw std::invalid_argument("view: cannot turn " + to_string(x.shape()) + " into " + to_string(shape));
    if (!x.is_contiguous()) throw std::invalid_argument("view: call contiguous first");
    Layout layout = Layout::contiguous(shape);
    return x.as_strided(layout.shape, layout.strides);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Layout layout = x.layout();
    const auto i = static_cast<std::size_t>(layout.normalised_axis(axis0));
    const auto j = static_cast<std::size_t>(layout.normalised_axis(axis1));
    std::swap(layout.shape[i], layout.shape[j]);
    std::swap(layout.strides[i], layout.strides[j]);
    return x.as_strided(layout.shape, layout.strides, layout.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor dense = Tensor::empty(x.shape());
    dense.copy_from(x);
    return dense;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: cannot split " + to_string(x.shape()));
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
