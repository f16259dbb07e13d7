#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor product(const Tensor& q, const Tensor& k) {
    return matmull(q, k);
}

}  // namespace headway::ex01
