#pragma once

#include <headway/tensor.hpp>

#include <cstdint>
#include <vector>

namespace headway::lab {

/// Numbers in two bytes each: sign, five bits of exponent, ten of fraction.
struct Halves {
    Shape shape;
    std::vector<std::uint16_t> bits;  ///< row-major
};

/// @param x  numbers that half can hold: what is between two of them is cut
Halves in_halves(const Tensor& x);
Tensor from_halves(const Halves& halves);

/// Along the axis of tokens: (B, H, P, width) and (B, H, n, width) to (B, H, P + n, width)
Halves appended(const Halves& old, const Halves& fresh);

}  // namespace headway::lab
