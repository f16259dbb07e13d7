#include <headway/tensor.hpp>

#include <stdexcept>
#include <string>

namespace headway::ex01 {

void refuse(const Tensor& x) {
    throw std::invalid_argument("rank is " + x.rank() + ", not 2");
}

}  // namespace headway::ex01
