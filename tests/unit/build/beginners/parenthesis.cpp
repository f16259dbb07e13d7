#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor weights(const Tensor& q, const Tensor& k) {
    return exp(matmul(q, k.transpose(0, 1));
}

}  // namespace headway::ex01
