#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    const Tensor max = max(scores, -1, KeepAxis::yes);
    return exp(scores - max);
}

}  // namespace headway::ex01
