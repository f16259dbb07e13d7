#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides out(shape.size(), 0);
    if (shape.empty()) return out;
    out[shape.size() - 1] = 1;
    for (Index i = static_cast<Index>(shape.size()) - 2; i >= 0; i--) {
        out[static_cast<std::size_t>(i)] =
            out[static_cast<std::size_t>(i + 1)] * shape[static_cast<std::size_t>(i + 1)];
    }
    return out;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index total = 1;
    for (std::size_t i = 0; i < shape.size(); i++) {
        total = total * shape[i];
    }
    if (total != x.numel()) {
        throw std::invalid_argument("view: total");
    }
    if (x.is_contiguous() == false) {
        throw std::invalid_argument("view: is_contiguous");
    }
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank()) {
        throw std::out_of_range("transpose: axis");
    }
    Shape swapped = x.shape();
    Index temp = swapped[static_cast<std::size_t>(axis0)];
    swapped[static_cast<std::size_t>(axis0)] = swapped[static_cast<std::size_t>(axis1)];
    swapped[static_cast<std::size_t>(axis1)] = temp;
    return x.as_strided(swapped, contiguous_strides(swapped), x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) {
        return x;
    }
    Tensor out = Tensor::zeros(x.shape());
    out.copy_from(x);
    return out;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) {
        throw std::invalid_argument("split_heads: rank");
    }
    if (num_heads < 1 || x.size(2) % num_heads != 0) {
        throw std::invalid_argument("split_heads: num_heads");
    }
    Index B = x.size(0);
    Index T = x.size(1);
    Index D = x.size(2);
    Index d = D / num_heads;
    return x.as_strided({B, num_heads, T, d}, {T * D, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
