#include "head_splitting.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex02 {

namespace {

Index product_behind(const Shape& shape, std::size_t axis) {
    return axis + 1 >= shape.size() ? 1 : shape[axis + 1] * product_behind(shape, axis + 1);
}

Index count(const Shape& shape, std::size_t axis = 0) {
    return axis == shape.size() ? 1 : shape[axis] * count(shape, axis + 1);
}

// writes the elements of `from`, row by row, and moves `to` on
void pour(const float* from, const Shape& shape, const Strides& strides, std::size_t axis, float*& to) {
    if (axis == shape.size()) {
        *to++ = *from;
        return;
    }
    for (Index i = 0; i < shape[axis]; ++i) pour(from + i * strides[axis], shape, strides, axis + 1, to);
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides result;
    for (std::size_t a = 0; a < shape.size(); ++a) result.push_back(product_behind(shape, a));
    return result;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (count(shape) != x.numel() || !x.is_contiguous())
        throw std::invalid_argument("view: cannot see " + to_string(x.shape()) + " as " + to_string(shape));
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Index a = x.layout().normalised_axis(axis0);
    const Index b = x.layout().normalised_axis(axis1);
    Layout l = x.layout();
    const Index size = l.shape[a], stride = l.strides[a];
    l.shape[a] = l.shape[b];
    l.strides[a] = l.strides[b];
    l.shape[b] = size;
    l.strides[b] = stride;
    return x.as_strided(l.shape, l.strides, l.offset);
}

Tensor contiguous(const Tensor& x) {
    Tensor copy = Tensor::empty(x.shape());
    float* to = copy.data();
    pour(x.data(), x.shape(), x.strides(), 0, to);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads) throw std::invalid_argument("split_heads");
    return view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
}

}  // namespace headway::ex02
