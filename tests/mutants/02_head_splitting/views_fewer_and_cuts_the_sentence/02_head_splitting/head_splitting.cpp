#include "head_splitting.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    Index step = 1;
    bool first = true;
    for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
        // the size of the last axis seen, not of this one: axis 0 is never multiplied in
        if (!first) step *= *std::prev(size);
        first = false;
        strides.push_back(step);
    }
    std::reverse(strides.begin(), strides.end());
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Shape sizes = shape;
    Index known = 1;
    Index* unknown = nullptr;
    for (Index& s : sizes) {
        if (s == -1 && unknown == nullptr)
            unknown = &s;
        else if (s < 0)
            throw std::invalid_argument("view: a size is negative");
        else
            known *= s;
    }
    if (unknown != nullptr) {
        if (known == 0 || x.numel() % known != 0) throw std::invalid_argument("view: -1 cannot be inferred");
        *unknown = x.numel() / known;
        known *= *unknown;
    }
    if (known > x.numel()) throw std::invalid_argument("view: counts differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous");
    return x.as_strided(sizes, contiguous_strides(sizes));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (std::min(axis0, axis1) < 0 || std::max(axis0, axis1) >= x.rank())
        throw std::invalid_argument("transpose: axis");
    Shape shape;
    Strides strides;
    for (Index a = 0; a < x.rank(); ++a) {
        const Index from = a == axis0 ? axis1 : a == axis1 ? axis0 : a;
        shape.push_back(x.shape()[from]);
        strides.push_back(x.strides()[from]);
    }
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    // Another view of x where that is enough, with dense strides even for axes of size 1.
    if (x.is_contiguous()) return x.as_strided(x.shape(), contiguous_strides(x.shape()));
    Tensor copy = Tensor::zeros(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("split_heads: heads");
    const Index d = D / num_heads;
    return x.as_strided({B, num_heads, T, d}, {T * D, T * d, d, 1});
}

}  // namespace headway::ex02
