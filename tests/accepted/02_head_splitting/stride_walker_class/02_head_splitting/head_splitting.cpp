#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

namespace {

/// Positions of the elements of a layout, in row-major order.
class Walker {
public:
    explicit Walker(const Tensor& x) : shape_(x.shape()), strides_(x.strides()), index_(shape_.size(), 0) {}

    Index position() const { return position_; }

    void advance() {
        for (std::size_t axis = shape_.size(); axis > 0; --axis) {
            Index& i = index_[axis - 1];
            position_ += strides_[axis - 1];
            if (++i != shape_[axis - 1]) return;
            position_ -= i * strides_[axis - 1];
            i = 0;
        }
    }

private:
    Shape shape_;
    Strides strides_;
    std::vector<Index> index_;
    Index position_ = 0;
};

Index product(const Shape& shape) {
    Index p = 1;
    for (Index size : shape) {
        if (size < 0) throw std::invalid_argument("a size is negative: " + to_string(shape));
        p *= size;
    }
    return p;
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
    if (shape.empty()) return {};
    Strides strides(shape.size(), 1);
    for (std::size_t axis = shape.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * shape[axis];
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (product(shape) != x.numel()) throw std::invalid_argument("view: counts differ");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x must be contiguous");
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Shape shape;
    Strides strides;
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank())
        throw std::out_of_range("transpose: an axis is out of range");
    for (Index axis = 0; axis < x.rank(); ++axis) {
        const Index source = axis == axis0 ? axis1 : axis == axis1 ? axis0 : axis;
        shape.push_back(x.shape()[source]);
        strides.push_back(x.strides()[source]);
    }
    return x.as_strided(shape, strides);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor dense = Tensor::empty(x.shape());
    Walker walker(x);
    for (Index i = 0; i < x.numel(); ++i, walker.advance()) dense.data()[i] = x.data()[walker.position()];
    return dense;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank must be 3");
    if (num_heads < 1) throw std::invalid_argument("split_heads: num_heads must be at least 1");
    if (x.size(2) % num_heads) throw std::invalid_argument("split_heads: D % num_heads must be 0");
    // the head axis comes out of the features in place, so only the last two steps differ from view + transpose
    Shape shape = x.shape();
    shape.pop_back();
    shape.insert(shape.end(), {num_heads, x.size(2) / num_heads});
    return transpose(view(x, shape), 1, 2);
}

}  // namespace headway::ex02
