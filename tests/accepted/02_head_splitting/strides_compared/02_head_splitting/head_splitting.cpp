#include "head_splitting.hpp"

#include <algorithm>
#include <stdexcept>

using namespace headway;

namespace {

struct BadShape : std::invalid_argument {
    BadShape(const char* where, const Shape& shape) : invalid_argument(std::string(where) + to_string(shape)) {}
};

template <class Function>
void for_each_index(const Shape& shape, Function&& visit) {
    if (std::ranges::find(shape, Index{0}) != shape.end()) return;
    std::vector<Index> index(shape.size());
    for (bool more = true; more;) {
        visit(index);
        more = false;
        for (auto axis = std::ssize(shape) - 1; axis >= 0 && !more; --axis) {
            more = ++index[axis] < shape[axis];
            if (!more) index[axis] = 0;
        }
    }
}

}  // namespace

Strides ex02::contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    for (auto axis = std::ssize(shape) - 1; axis >= 0; --axis)
        strides[axis] = axis + 1 == std::ssize(shape) ? 1 : strides[axis + 1] * shape[axis + 1];
    return strides;
}

Tensor ex02::view(const Tensor& x, const Shape& shape) {
    Index wanted = 1;
    for (const auto size : shape) {
        if (size < 0) throw BadShape("negative size in view: ", shape);
        wanted *= size;
    }
    if (wanted != x.numel()) throw BadShape("wrong element count in view: ", shape);
    if (not x.is_contiguous()) throw BadShape("view of a non-contiguous tensor: ", x.shape());
    return x.as_strided(shape, contiguous_strides(shape));
}

Tensor ex02::transpose(const Tensor& x, Index axis0, Index axis1) {
    const auto exists = [&](Index axis) { return 0 <= axis and axis < x.rank(); };
    if (not exists(axis0) or not exists(axis1)) throw BadShape("transpose, no such axis: ", x.shape());
    auto [shape, strides, offset] = x.layout();
    std::iter_swap(shape.begin() + axis0, shape.begin() + axis1);
    std::iter_swap(strides.begin() + axis0, strides.begin() + axis1);
    return x.as_strided(shape, strides, offset);
}

Tensor ex02::contiguous(const Tensor& x) {
    const Strides dense = contiguous_strides(x.shape());
    if (x.strides() == dense) return x;
    // axes of size 1 may have had any stride: the numbers already lie right
    if (x.is_contiguous()) return x.as_strided(x.shape(), dense);
    Tensor copy = Tensor::empty(x.shape());
    float* next = copy.data();
    for_each_index(x.shape(), [&](const std::vector<Index>& index) {
        Index position = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) position += index[axis] * x.strides()[axis];
        *next++ = x.data()[position];
    });
    return copy;
}

Tensor ex02::split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw BadShape("split_heads, rank 3 needed: ", x.shape());
    if (num_heads < 1 or x.size(2) % num_heads != 0) throw BadShape("split_heads, heads must divide: ", x.shape());
    // the heads as their own outer axis first, then the swap by hand
    const Strides s = x.strides();
    const Index d = x.size(2) / num_heads;
    return x.as_strided({x.size(0), num_heads, x.size(1), d}, {s[0], d * s[2], s[1], s[2]});
}
