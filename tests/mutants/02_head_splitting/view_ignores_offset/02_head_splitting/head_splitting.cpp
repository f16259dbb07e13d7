#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    if (shape.empty()) return {};
    Strides strides(shape.size());
    strides.back() = 1;
    for (std::size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index elements = 1;
    for (Index size : shape) elements *= size;
    if (elements != x.numel()) {
        throw std::invalid_argument("view: " + std::to_string(x.numel()) + " elements do not make " + to_string(shape));
    }
    if (!x.is_contiguous()) {
        throw std::invalid_argument("view: " + to_string(x.strides()) + " is not row-major");
    }
    return x.as_strided(shape, contiguous_strides(shape), 0);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    auto layout = x.layout();
    axis0 = layout.normalised_axis(axis0);
    axis1 = layout.normalised_axis(axis1);
    std::swap(layout.shape.at(static_cast<std::size_t>(axis0)), layout.shape.at(static_cast<std::size_t>(axis1)));
    std::swap(layout.strides.at(static_cast<std::size_t>(axis0)), layout.strides.at(static_cast<std::size_t>(axis1)));
    return x.as_strided(layout.shape, layout.strides, layout.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) {
        return x;
    }
    Tensor out = Tensor::empty(x.shape());
    out.copy_from(x);
    return out;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(-1) % num_heads != 0) {
        throw std::invalid_argument("split_heads: " + to_string(x.shape()) + " into " + std::to_string(num_heads));
    }
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    const Index d = D / num_heads;
    return transpose(x.as_strided({B, T, num_heads, d}, {T * D, D, d, 1}), 1, 2);
}

}  // namespace headway::ex02
