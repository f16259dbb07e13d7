#include <headway/tensor.hpp>

namespace headway::ex01 {

float first(const Tensor& x) {
    float* values = x.data();
    return values[0];
}

}  // namespace headway::ex01
