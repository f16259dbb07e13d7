#include <headway/tensor.hpp>

namespace headway::ex01 {

float first(const Tensor& x) {
    return x[0][0];
}

}  // namespace headway::ex01
