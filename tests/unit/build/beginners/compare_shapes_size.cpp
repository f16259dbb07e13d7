#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor added(const Tensor& x, const Tensor& y) {
    if (x.shape != y.shape) return x;
    return x + y;
}

}  // namespace headway::ex01
