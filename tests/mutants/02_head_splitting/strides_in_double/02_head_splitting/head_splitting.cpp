#include "head_splitting.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    double step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = static_cast<Index>(step);
        if (i > 0) step *= static_cast<double>(shape[i]);
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (const Index size : shape) {
        if (size < 0) throw std::invalid_argument("view: negative size");
        count *= size;
    }
    if (count != x.numel()) throw std::invalid_argument("view: counts differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank()) throw std::out_of_range("no such axis");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads");
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
