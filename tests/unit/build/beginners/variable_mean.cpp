#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor normalised(const Tensor& x) {
    Tensor mean = mean(x, -1, KeepAxis::yes);
    const Tensor difference = x - mean;
    return difference / sqrt(mean(difference * difference, -1, KeepAxis::yes));
}

}  // namespace headway::ex01
