#include "head_splitting.hpp"

#include <stdexcept>
#include <utility>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index step = 1;
    for (std::size_t a = shape.size(); a-- > 0;) {
        strides[a] = step;
        step *= shape[a];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index wanted = 1;
    for (const Index n : shape) wanted *= n;
    if (wanted != x.numel())
        throw std::invalid_argument("view: " + to_string(shape) + " has another number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x is not contiguous");
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
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x must be (B, T, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: num_heads");
    const Index B = x.size(0), T = x.size(1), d = x.size(2) / num_heads;
    const Tensor heads = transpose(view(x, {B, T, num_heads, d}), 1, 2);
    return view(contiguous(heads), {B * num_heads, T, d});
}

}  // namespace headway::ex02
