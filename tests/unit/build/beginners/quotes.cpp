#include <headway/tensor.hpp>

#include <stdexcept>

namespace headway::ex01 {

void refuse() {
    throw std::invalid_argument('the shapes differ');
}

}  // namespace headway::ex01
