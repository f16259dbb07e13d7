#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    const Tensor raised = exp(scores);
    return raised / sum(raised);
}

}  // namespace headway::ex01
