#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        Index behind = 1;
        for (size_t later = axis + 1; later < shape.size(); ++later) behind *= shape[later];
        strides.push_back(behind);
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (!x.is_contiguous()) throw std::invalid_argument("only contiguous tensors can be viewed, call contiguous first");
    Index numel = 1;
    for (Index size : shape) {
        if (size < 0) throw std::invalid_argument("sizes cannot be negative");
        numel *= size;
    }
    if (numel != x.numel()) throw std::invalid_argument("number of elements must stay the same");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Shape shape = x.shape();
    Strides strides = x.strides();
    // vector::at throws out_of_range for us; a negative axis becomes a huge one
    const auto a = static_cast<size_t>(axis0), b = static_cast<size_t>(axis1);
    std::swap(shape.at(a), shape.at(b));
    std::swap(strides.at(a), strides.at(b));
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor out = Tensor::empty(x.shape());
    const Index n = x.numel();
    const float* from = x.data();
    float* to = out.data();
    std::vector<Index> index(x.shape().size(), 0);
    for (Index i = 0; i < n; ++i) {
        Index position = 0;
        for (size_t axis = 0; axis < index.size(); ++axis) position += index[axis] * x.strides()[axis];
        to[i] = from[position];
        for (size_t axis = index.size(); axis-- > 0;) {  // like a mileage counter
            if (++index[axis] < x.shape()[axis]) break;
            index[axis] = 0;
        }
    }
    return out;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads needs (B, T, D)");
    if (num_heads < 1) throw std::invalid_argument("split_heads needs at least one head");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (D % num_heads != 0) throw std::invalid_argument("D must be divisible by num_heads");
    return transpose(view(x, {B, T, num_heads, D / num_heads}), 1, 2);
}

}  // namespace headway::ex02
