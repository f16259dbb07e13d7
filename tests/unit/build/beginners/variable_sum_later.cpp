#include <headway/tensor.hpp>

namespace headway::ex01 {

float total(const Tensor& x) {
    float sum = 0;
    for (Index i = 0; i < x.numel(); ++i) sum += x(i);
    const Tensor rows = sum(x, 0);
    return sum + rows(0);
}

}  // namespace headway::ex01
