#include "head_splitting.hpp"

#include <cassert>
#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    Index next = 1;
    for (Index i = static_cast<Index>(shape.size()) - 1; i >= 0; --i) {
        strides.insert(strides.begin(), next);
        next *= shape[i];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    const Layout wanted = Layout::contiguous(shape);  // invalid_argument for a negative size
    if (wanted.numel() != x.numel()) throw std::invalid_argument("view: " + to_string(shape) + " does not fit");
    if (!x.is_contiguous()) throw std::invalid_argument("view: cannot be expressed");
    return x.as_strided(wanted.shape, wanted.strides);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < -x.rank() || axis0 >= x.rank()) throw std::invalid_argument("transpose: axis0");
    if (axis1 < -x.rank() || axis1 >= x.rank()) throw std::invalid_argument("transpose: axis1");
    const auto a = (axis0 + x.rank()) % x.rank(), b = (axis1 + x.rank()) % x.rank();
    Shape shape = x.shape();
    Strides strides = x.strides();
    shape[a] = x.shape()[b];
    shape[b] = x.shape()[a];
    strides[a] = x.strides()[b];
    strides[b] = x.strides()[a];
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    // one guard float on either side, to notice an overrun while testing
    Tensor buffer = Tensor::full({x.numel() + 2}, -12345.0F);
    Tensor inside = buffer.as_strided(x.shape(), contiguous_strides(x.shape()), 1);
    inside.copy_from(x);
    assert(buffer(0) == -12345.0F && buffer(x.numel() + 1) == -12345.0F);
    return inside;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: need three axes");
    if (num_heads < 1) throw std::invalid_argument("split_heads: need a head");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: need D divisible by num_heads");
    const Tensor dealt = view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
    return transpose(dealt, -3, -2);
}

}  // namespace headway::ex02
