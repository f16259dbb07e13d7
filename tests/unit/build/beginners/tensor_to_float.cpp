#include <headway/tensor.hpp>

namespace headway::ex01 {

float total(const Tensor& x) {
    float result = sum(x, 0);
    return result;
}

}  // namespace headway::ex01
