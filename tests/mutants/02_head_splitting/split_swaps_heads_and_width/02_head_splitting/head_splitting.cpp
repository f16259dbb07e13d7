#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index product = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = product;
        product *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index product = 1;
    for (const Index size : shape) product *= size;
    if (product != x.numel()) throw std::invalid_argument("view: " + to_string(x.shape()) + " -> " + to_string(shape));
    if (!x.is_contiguous()) throw std::invalid_argument("view of a tensor that is not contiguous");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis1 < 0 || axis0 >= x.rank() || axis1 >= x.rank()) throw std::out_of_range("transpose");
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[static_cast<std::size_t>(axis0)], shape[static_cast<std::size_t>(axis1)]);
    std::swap(strides[static_cast<std::size_t>(axis0)], strides[static_cast<std::size_t>(axis1)]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

// The order of the parameters is easy to get wrong, so they have a struct.
struct Split {
    Index batch, tokens, width, heads;
};

static Tensor split(const Tensor& x, const Split& s) {
    return transpose(view(x, {s.batch, s.tokens, s.heads, s.width}), 1, 2);
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x is " + to_string(x.shape()));
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: D % num_heads");
    return split(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads});
}

}  // namespace headway::ex02
