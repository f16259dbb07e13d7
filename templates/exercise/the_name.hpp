#pragma once

#include <headway/tensor.hpp>

// Exercise NN: FILL_IN: what it is about.
//                                      T tokens · D model width
//
// This header is the specification; write the functions in the_name.cpp. No function changes its arguments, or what it
// returned before. Where a shape does not fit, throw std::invalid_argument.
namespace headway::exNN {

/// FILL_IN: what it computes, as a formula with its source. The example:   doubled[t, i] = 2 · x[t, i].
/// @param x  (T, D)
/// @return (T, D)
/// @throws std::invalid_argument if x is no matrix
Tensor doubled(const Tensor& x);

}  // namespace headway::exNN
