#include "head_splitting.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

namespace headway::ex02 {
namespace {

Index product(Shape::const_iterator begin, Shape::const_iterator end) {
    return std::accumulate(begin, end, Index{1}, std::multiplies<>{});
}

void check_axis(const Tensor& x, Index axis) {
    if (axis < 0 || axis >= x.rank())
        throw std::out_of_range("axis " + std::to_string(axis) + " of " + to_string(x.shape()));
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    for (auto size = shape.begin(); size != shape.end(); ++size)
        strides.push_back(product(std::next(size), shape.end()));
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    const bool sizes = std::all_of(shape.begin(), shape.end(), [](Index size) { return size >= 0; });
    if (!sizes || product(shape.begin(), shape.end()) != x.numel())
        throw std::invalid_argument("view: another element count");
    if (!x.is_contiguous()) throw std::invalid_argument("view: call contiguous() first");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    check_axis(x, axis0);
    check_axis(x, axis1);
    Shape shape = x.shape();
    Strides strides = x.strides();
    const auto [first, last] = std::minmax({axis0, axis1});
    std::reverse(shape.begin() + first, shape.begin() + last + 1);
    std::reverse(strides.begin() + first, strides.begin() + last + 1);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x.as_strided(x.shape(), contiguous_strides(x.shape()), x.offset());
    Tensor copy = Tensor::zeros(x.shape());
    copy += x;
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    const Shape& shape = x.shape();
    if (shape.size() != 3 || num_heads < 1 || shape.back() % num_heads != 0)
        throw std::invalid_argument("split_heads: " + to_string(shape) + " among " + std::to_string(num_heads) +
                                    " heads");
    const Tensor by_token = view(x, {shape[0], shape[1], num_heads, shape[2] / num_heads});
    return transpose(by_token, 1, 2);
}

}  // namespace headway::ex02
