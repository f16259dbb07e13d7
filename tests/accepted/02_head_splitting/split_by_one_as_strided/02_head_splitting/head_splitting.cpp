#include "head_splitting.hpp"

#include <functional>
#include <numeric>
#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    // running product from the back
    Strides strides(shape.size(), 1);
    std::exclusive_scan(shape.rbegin(), shape.rend(), strides.rbegin(), Index{1}, std::multiplies<>{});
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    const Index wanted = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>{});
    if (wanted != x.numel()) throw std::invalid_argument("view: wrong number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: strides are not row-major");
    return x.as_strided(shape, contiguous_strides(shape));  // refuses negative sizes by itself
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Index first = x.layout().normalised_axis(axis0);  // throws out_of_range
    const Index second = x.layout().normalised_axis(axis1);
    Layout layout = x.layout();
    std::swap(layout.shape[first], layout.shape[second]);
    std::swap(layout.strides[first], layout.strides[second]);
    return x.as_strided(layout.shape, layout.strides, layout.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    std::vector<float> numbers;
    numbers.reserve(static_cast<std::size_t>(x.numel()));
    const Strides dense = contiguous_strides(x.shape());
    for (Index i = 0; i < x.numel(); ++i) {
        // the digits of i in the mixed base of the shape
        Index where = 0;
        for (std::size_t axis = 0; axis < dense.size(); ++axis)
            where += i / dense[axis] % x.shape()[axis] * x.strides()[axis];
        numbers.push_back(x.data()[where]);
    }
    return Tensor::of(x.shape(), numbers);
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1) throw std::invalid_argument("split_heads: (B, T, D) and at least one head");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (D % num_heads != 0) throw std::invalid_argument("split_heads: the heads do not divide the width");
    const Index d = D / num_heads;
    return x.as_strided({B, num_heads, T, d}, {T * D, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
