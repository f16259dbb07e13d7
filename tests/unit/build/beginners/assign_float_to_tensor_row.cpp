#include <headway/tensor.hpp>

namespace headway::ex01 {

void clear(Tensor& x) {
    x[0][0] = 0.0f;
}

}  // namespace headway::ex01
