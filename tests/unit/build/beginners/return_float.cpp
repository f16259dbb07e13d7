#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor total(const Tensor& x) {
    float result = 0;
    for (Index i = 0; i < x.numel(); ++i) result += x(i);
    return result;
}

}  // namespace headway::ex01
