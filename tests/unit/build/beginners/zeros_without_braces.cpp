#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor room() {
    return Tensor::zeros(3, 4);
}

}  // namespace headway::ex01
