#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor checked(const Tensor& x) {
    if (x.rank() != 2) throw std::invalid_argument("a matrix");
    return x;
}

}  // namespace headway::ex01
