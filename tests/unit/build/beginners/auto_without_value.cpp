#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor scores(const Tensor& q, const Tensor& k) {
    auto result;
    result = matmul(q, k);
    return result;
}

}  // namespace headway::ex01
