#include <headway/tensor.hpp>

namespace headway::ex01 {

int width(const Tensor& x) {
    const int d{x.size(1)};
    return d;
}

}  // namespace headway::ex01
