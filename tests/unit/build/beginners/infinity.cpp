#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor blocked(const Tensor& scores, const Mask& mask) {
    return masked_fill(scores, mask, -infinity);
}

}  // namespace headway::ex01
