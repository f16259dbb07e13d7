#include <headway/tensor.hpp>

namespace headway::ex01 {

softmax_rows(const Tensor& scores) {
    return scores;
}

}  // namespace headway::ex01
