#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

namespace {

class RowMajor {
public:
    explicit RowMajor(const Shape& shape) : strides_(shape.size()) {
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            strides_[axis] = numel_;
            numel_ *= shape[axis];
        }
    }
    Index numel() const { return numel_; }
    const Strides& strides() const { return strides_; }

private:
    Index numel_ = 1;
    Strides strides_;
};

}  // namespace

Strides contiguous_strides(const Shape& shape) { return RowMajor(shape).strides(); }

Tensor view(const Tensor& x, const Shape& shape) {
    const RowMajor wanted(shape);
    if (wanted.numel() != x.numel()) throw std::invalid_argument("view: " + to_string(shape) + " has another numel");
    if (!x.is_contiguous()) throw std::invalid_argument("view: strides are " + to_string(x.strides()));
    return x.as_strided(shape, wanted.strides(), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Layout layout = x.layout();
    const auto a = static_cast<std::size_t>(layout.normalised_axis(axis0));
    const auto b = static_cast<std::size_t>(layout.normalised_axis(axis1));
    std::swap(layout.shape[a], layout.shape[b]);
    std::swap(layout.strides[a], layout.strides[b]);
    return x.as_strided(layout.shape, layout.strides, layout.offset);
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: rank is " + std::to_string(x.rank()));
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("split_heads: D is " + std::to_string(D));
    const Tensor base = x.as_strided({B, T, num_heads, D / num_heads}, {T * D, D, D / num_heads, 1}, 0);
    return transpose(base, 1, 2);
}

}  // namespace headway::ex02
