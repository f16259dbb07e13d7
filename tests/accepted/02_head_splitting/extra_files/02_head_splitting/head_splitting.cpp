#include "head_splitting.hpp"

#include "copying.hpp"
#include "sizes.hpp"

#include <stdexcept>
#include <utility>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) { return student::row_major(shape); }

Tensor view(const Tensor& x, const Shape& shape) {
    if (student::elements(shape) != x.numel()) throw std::invalid_argument("view: not the same number of elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: not contiguous");
    return x.as_strided(shape, student::row_major(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Layout swapped = x.layout();
    const auto a = static_cast<std::size_t>(swapped.normalised_axis(axis0));
    const auto b = static_cast<std::size_t>(swapped.normalised_axis(axis1));
    std::swap(swapped.shape[a], swapped.shape[b]);
    std::swap(swapped.strides[a], swapped.strides[b]);
    return x.as_strided(swapped.shape, swapped.strides, swapped.offset);
}

Tensor contiguous(const Tensor& x) { return x.is_contiguous() ? x : student::row_major_copy(x); }

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(-1) % num_heads != 0)
        throw std::invalid_argument("split_heads: " + to_string(x.shape()) + " with " + std::to_string(num_heads));
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(-1) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
