#include <headway/tensor.hpp>

namespace headway::ex01 {

float scale_of(const Tensor& q) {
    return 1 / std::sqrt(static_cast<float>(head_dim));
}

}  // namespace headway::ex01
