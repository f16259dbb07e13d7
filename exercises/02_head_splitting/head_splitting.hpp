#pragma once

#include <headway/tensor.hpp>

// Exercise 02: memory is one line.                     B batch · T tokens · D model width · H num_heads · d = D / H
//
// Element [i0, i1, ...] of a tensor is storage[offset + Σ i·stride]. Here you write what is done with that, over
// x.shape(), x.strides(), x.offset() and the primitive x.as_strided(shape, strides, offset).
// In this exercise Tensor's own members view, transpose and contiguous are not available: they are what you write. Its
// other members are. No function changes the numbers of its arguments. No tensor is undefined (`Tensor{}`), and no size
// is negative. One may be 0: such a tensor has a shape and no numbers, and is contiguous whatever its strides are.
namespace headway::ex02 {

/// Row-major strides: the last axis is dense, each other stride is the product of the sizes that follow.
///     (2, 3, 4) -> (12, 4, 1);   (2, 0, 3) -> (0, 3, 1);   () -> ()
/// So a size of 0 makes all strides before it 0. Only strides are worked out: the shape may be larger than any memory,
/// but the number of its elements and each of its strides fit into Index.
Strides contiguous_strides(const Shape& shape);

/// The same numbers in the same row-major order under another shape; never a copy.      [as torch.Tensor.view]
/// @param shape  of sizes alone: there is no -1, and no product of its sizes overflows Index (none such is asked)
/// @return shares storage with x
/// @throws std::invalid_argument if the element counts differ, or if the strides of x cannot express the shape, such as
///         a transposed matrix seen as one row (refusing every tensor that is not contiguous is right too; where a size
///         is 1, a contiguous one may have any stride)
Tensor view(const Tensor& x, const Shape& shape);

/// Two axes swapped: only shape and strides change; nothing moves.                      [as torch.transpose]
/// @return shares storage with x, also where axis0 is axis1
/// @throws std::invalid_argument or std::out_of_range if there is no such axis (you may let -1 be the last one, -2 the
///         one before it, as PyTorch does, or refuse them)
Tensor transpose(const Tensor& x, Index axis0, Index axis1);

/// x itself or a view of all of it if it is contiguous already (no copy), else a row-major copy.
///                                                                                     [as torch.Tensor.contiguous]
/// @return the shape and numbers of x, with contiguous_strides(shape); an x that is contiguous already may keep its
///         strides where a size is 1 or there are no numbers (if they differ from contiguous_strides, a copy is right
///         too)
Tensor contiguous(const Tensor& x);

/// The features of each token, divided among H heads: head h gets features [h·d, (h+1)·d).
///     (B, T, D)  view->  (B, T, H, d)  transpose->  (B, H, T, d)
/// @param x  (B, T, D), contiguous (one that is not may be refused)
/// @return (B, H, T, d), a view: shares storage with x
/// @throws std::invalid_argument if x is not of rank 3 (std::out_of_range is right too), num_heads < 1, or D is not
///         divisible by num_heads
Tensor split_heads(const Tensor& x, Index num_heads);

}  // namespace headway::ex02
