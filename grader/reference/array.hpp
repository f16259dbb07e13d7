#pragma once

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <vector>

namespace headway::reference {

/// Numbers in double precision, row-major, each with a bound on how far a right float32 program may be from it.
///
/// The bounds are forward error bounds: inputs are exact, each operation adds what its rounding can do in the worst
/// case and passes on what it was given. A dot product of n terms adds (n + 4)·2⁻²⁴·Σ|aᵢbᵢ|, whatever the order of the
/// sum and wherever a scale is multiplied in.                                       [Higham 2002, §3.1]
struct Array {
    Shape shape;
    std::vector<double> value;
    std::vector<double> error;

    Index size(Index axis) const;
    Index numel() const { return static_cast<Index>(value.size()); }
};

/// Half a unit in the last place of float32.
inline constexpr double unit_roundoff = 1.0 / (1 << 24);

/// In place of an error bound: the number may be off by so much of itself and no more. Of every other number a
/// comparison takes what is near 0 for 0.
constexpr double part_of_itself(double relative) { return -1 - relative; }

/// No numbers at all, of shape (0), for a Tensor{}: a submission may hand one over wherever a tensor is due.
Array exact(const Tensor& tensor);
/// The nearest float32 numbers, to hand to a submission.
Tensor to_tensor(const Array& array);

/// (..., M, K) · (..., K, N), or (..., M, K) · (K, N).
Array matmul(const Array& a, const Array& b);
Array transpose(const Array& a, Index axis0, Index axis1);
Array reshape(const Array& a, const Shape& shape);
Array scale(const Array& a, double factor);
/// Same shape, or b has only the last axis.
Array add(const Array& a, const Array& b);

}  // namespace headway::reference
