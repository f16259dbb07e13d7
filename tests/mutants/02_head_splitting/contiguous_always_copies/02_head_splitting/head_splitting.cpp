#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

namespace {

// Walks over all elements in row-major order.
void write_row_major(const Tensor& x, float*& out) {
    if (x.rank() == 0) {
        *out++ = x();
        return;
    }
    for (Index i = 0; i < x.size(0); ++i) write_row_major(x[i], out);
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    if (shape.empty()) return {};
    Strides strides = contiguous_strides(Shape(shape.begin() + 1, shape.end()));
    Index first = 1;
    if (shape.size() > 1) first = shape[1] * strides[0];
    strides.insert(strides.begin(), first);
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (const Index size : shape) n *= size;
    if (n != x.numel() || !x.is_contiguous()) throw std::invalid_argument("view: not possible without a copy");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto a = static_cast<std::size_t>(x.layout().normalised_axis(axis0));
    const auto b = static_cast<std::size_t>(x.layout().normalised_axis(axis1));
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[a], shape[b]);
    std::swap(strides[a], strides[b]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    Tensor copy = Tensor::empty(x.shape());
    float* out = copy.data();
    write_row_major(x, out);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: not possible");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
