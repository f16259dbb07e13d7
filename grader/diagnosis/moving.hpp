#pragma once

#include "diagnosis/choices.hpp"

#include <stdexcept>

/// Exercise 02 under any choices: what becomes of layout and storage. The arguments of `transpose` exist.
namespace headway::diagnosis {

/// Thrown where a check refuses. All other exceptions come from as_strided.
struct Refusal : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

Tensor view(const Tensor& x, const Shape& shape, const Moving& moving);
Tensor transpose(const Tensor& x, std::size_t axis0, std::size_t axis1, const Moving& moving);
Tensor contiguous(const Tensor& x, const Moving& moving);
Tensor split_heads(const Tensor& x, Index H, const Moving& moving);

Tensor row_major_copy(const Tensor& x);
/// The strides of a fresh tensor of this shape.
Strides row_major(const Shape& shape);
/// A view of the same shape and strides that begins where the storage does.
Tensor with_offset_0(const Tensor& x);

}  // namespace headway::diagnosis
