#pragma once

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

/// Right programs for exercise 12, side by side in one test. Each is compiled with a name of its own in place of
/// `ex12`.
namespace headway::halves {

struct Program {
    const char* name;
    Tensor (*softmax)(const Tensor& scores, bool total_in_half);
    Tensor (*attention)(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask);
};

}  // namespace headway::halves
