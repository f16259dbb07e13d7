#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size(), 0);
    Index running = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] == 1) continue;  // nothing to step over
        strides[axis] = running;
        running *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    const Layout target = Layout::contiguous(shape);
    if (target.numel() != x.numel()) throw std::invalid_argument("view: element counts differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: strides cannot express that shape");
    return x.as_strided(shape, target.strides, x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank())
        throw std::invalid_argument("transpose: x has only " + std::to_string(x.rank()) + " axes");
    auto shape = x.shape();
    auto strides = x.strides();
    for (auto* sizes : {&shape, &strides})
        std::swap((*sizes)[static_cast<std::size_t>(axis0)], (*sizes)[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    auto copy = Tensor::zeros(x.shape());
    copy += x;
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("split_heads: wants (B, T, D) and a num_heads that divides D");
    const auto heads = view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
    return transpose(heads, 1, 2);
}

}  // namespace headway::ex02
