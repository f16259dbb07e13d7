#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor scaled(const Tensor& x) {
    const std::vector<float> factors = {1, 2};
    return x * factors;
}

}  // namespace headway::ex01
