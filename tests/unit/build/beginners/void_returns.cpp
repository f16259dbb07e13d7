#include <headway/tensor.hpp>

namespace headway::ex01 {

void copy(const Tensor& x) {
    return x;
}

}  // namespace headway::ex01
