#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor copy(const Tensor& x) {
    if (x.rank() != 2) return;
    return x;
}

}  // namespace headway::ex01
