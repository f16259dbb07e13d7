#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index n = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = n;
        n *= shape[axis];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index n = 1;
    for (const Index size : shape) n *= size;
    if (n != x.numel()) throw std::invalid_argument("view: x has " + std::to_string(x.numel()) + " elements");
    if (!x.is_contiguous()) throw std::invalid_argument("view: x has strides " + to_string(x.strides()));
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

static void move_entry(std::vector<Index>& list, Index from, Index to) {
    const Index entry = list[static_cast<std::size_t>(from)];
    list.erase(list.begin() + from);
    list.insert(list.begin() + to, entry);
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    const Index from = x.layout().normalised_axis(axis0);
    const Index to = x.layout().normalised_axis(axis1);
    Shape shape = x.shape();
    Strides strides = x.strides();
    move_entry(shape, from, to);
    move_entry(strides, from, to);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: x has rank " + std::to_string(x.rank()));
    if (num_heads < 1) throw std::invalid_argument("split_heads: num_heads is " + std::to_string(num_heads));
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: D is " + std::to_string(x.size(2)));
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

}  // namespace headway::ex02
