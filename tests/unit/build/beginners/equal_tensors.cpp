#include <headway/tensor.hpp>

namespace headway::ex01 {

bool equal(const Tensor& a, const Tensor& b) {
    return a == b;
}

}  // namespace headway::ex01
