#include "head_splitting.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex02 {
namespace {

/// Counts through the indices of a shape as an odometer does, the last axis fastest.
class Odometer {
public:
    explicit Odometer(const Shape& shape) : shape_(shape), index_(shape.size(), 0) {}

    void next() {
        for (std::size_t a = shape_.size(); a-- > 0;) {
            if (++index_[a] < shape_[a]) return;
            index_[a] = 0;
        }
    }

    Index position(const Strides& strides) const {
        Index result = 0;
        for (std::size_t a = 0; a < index_.size(); ++a) result += index_[a] * strides[a];
        return result;
    }

private:
    Shape shape_;
    std::vector<Index> index_;
};

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    for (std::size_t a = 0; a < shape.size(); ++a) {
        Index step = 1;
        for (std::size_t behind = a + 1; behind < shape.size(); ++behind) step *= shape[behind];
        strides[a] = step;
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index count = 1;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        if (shape[a] < 0) refuse("view: negative size");
        count *= shape[a];
    }
    if (count != x.numel()) refuse("view: the counts differ");
    if (!x.is_contiguous()) refuse("view: not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0) axis0 = x.rank() + axis0;
    if (axis1 < 0) axis1 = x.rank() + axis1;
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank()) refuse("transpose: no such axis");
    Shape shape;
    Strides strides;
    for (Index a = 0; a < x.rank(); ++a) {
        const Index from = a == axis0 ? axis1 : a == axis1 ? axis0 : a;
        shape.push_back(x.shape()[static_cast<std::size_t>(from)]);
        strides.push_back(x.strides()[static_cast<std::size_t>(from)]);
    }
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    const float* from = x.data();
    float* to = copy.data();
    Odometer odometer(x.shape());
    for (Index i = 0; i < x.numel(); ++i, odometer.next()) to[i] = from[odometer.position(x.strides())];
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) refuse("split_heads: a tensor of three axes is needed");
    if (num_heads < 1) refuse("split_heads: no heads");
    if (x.size(2) % num_heads != 0) refuse("split_heads: the width is not divisible");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = D / num_heads;
    // A token is D further, a head d, a sequence T times d.
    return x.as_strided({B, num_heads, T, d}, {T * d, d, D, 1}, x.offset());
}

}  // namespace headway::ex02
