#include "head_splitting.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size(), 1);
    for (Index a = static_cast<Index>(shape.size()) - 1; a > 0; --a) strides[a - 1] = strides[a] * shape[a];
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (auto size = shape.rbegin(); size != shape.rend(); ++size) n *= *size;
    if (n != x.numel()) throw std::invalid_argument("view: not the same number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: only a contiguous tensor can be viewed");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Index r = x.rank();
    if (axis0 < -r || axis0 >= r || axis1 < -r || axis1 >= r) throw std::out_of_range("transpose: axis out of range");
    const Index i = (axis0 + r) % r;
    const Index j = (axis1 + r) % r;
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[i], shape[j]);
    std::swap(strides[i], strides[j]);
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    // row-major: the strides fall from the first axis to the last
    if (std::is_sorted(x.strides().begin(), x.strides().end(), std::greater<Index>())) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: (B, T, D) expected");
    if (num_heads < 1) throw std::invalid_argument("split_heads: no heads");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: the width does not divide");
    const Index d = x.size(2) / num_heads;
    const Tensor tokens = view(x, {x.size(0), x.size(1), num_heads, d});
    return transpose(tokens, 1, 2);
}

}  // namespace headway::ex02
