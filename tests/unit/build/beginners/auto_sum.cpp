#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor normalised(const Tensor& x) {
    const auto sum = sum(x, -1, KeepAxis::yes);
    return x / sum;
}

}  // namespace headway::ex01
