#include "diagnosis/moving.hpp"

namespace headway::diagnosis {

Tensor view(const Tensor& x, const Shape& shape, const Moving& moving) {
    if (!moving.viewing.fills(x, shape)) throw Refusal("view");
    return moving.viewing.result(moving.viewing.dense(x).as_strided(shape, moving.strides(shape)));
}

Tensor transpose(const Tensor& x, std::size_t axis0, std::size_t axis1, const Moving& moving) {
    const Layout layout = moving.transposing.swap(x.layout(), axis0, axis1);
    return moving.transposing.result(x.as_strided(layout.shape, layout.strides, layout.offset));
}

Tensor contiguous(const Tensor& x, const Moving& moving) {
    return moving.packing.is_dense(x) ? x : moving.packing.copy(x);
}

Tensor split_heads(const Tensor& x, Index H, const Moving& moving) {
    return moving.split_result(moving.split(x, H, moving));
}

Strides row_major(const Shape& shape) { return Layout::contiguous(shape).strides; }

Tensor with_offset_0(const Tensor& x) { return x.as_strided(x.shape(), x.strides(), 0); }

Tensor row_major_copy(const Tensor& x) {
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

}  // namespace headway::diagnosis
