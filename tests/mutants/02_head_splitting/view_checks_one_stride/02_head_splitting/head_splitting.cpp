#include "head_splitting.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace headway::ex02 {
namespace {

template <class It>
Index product(It first, It last) {
    return std::accumulate(first, last, Index{1}, std::multiplies<Index>{});
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        strides.push_back(product(shape.begin() + static_cast<Index>(axis) + 1, shape.end()));
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (product(shape.begin(), shape.end()) != x.numel()) throw std::invalid_argument("view: element counts differ");
    // neighbours along the last axis must lie side by side
    if (x.rank() > 0 && x.size(-1) > 1 && x.strides().back() != 1)
        throw std::invalid_argument("view: call contiguous() first");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Index rank = x.rank();
    if (axis0 < -rank || axis0 >= rank || axis1 < -rank || axis1 >= rank)
        throw std::out_of_range("transpose: no such axis");
    if (axis0 < 0) axis0 += rank;
    if (axis1 < 0) axis1 += rank;
    Shape sizes(x.shape());
    Strides steps(x.strides());
    std::iter_swap(sizes.begin() + axis0, sizes.begin() + axis1);
    std::iter_swap(steps.begin() + axis0, steps.begin() + axis1);
    return x.as_strided(sizes, steps, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (!x.is_contiguous()) {
        Tensor dense = Tensor::zeros(x.shape());
        dense += x;
        return dense;
    }
    return x.as_strided(x.shape(), x.strides(), x.offset());
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank 3 is needed");
    if (num_heads < 1) throw std::invalid_argument("split_heads: at least one head");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = D / num_heads;
    if (d * num_heads != D) throw std::invalid_argument("split_heads: D is not divisible by num_heads");
    return x.as_strided({B, num_heads, T, d}, {T * D, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
