#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor scores(const Tensor& q, const Tensor& k) {
    return matmul(q, k.transpose());
}

}  // namespace headway::ex01
