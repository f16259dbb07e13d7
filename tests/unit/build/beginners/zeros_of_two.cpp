#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor room(Index T, Index S) {
    Tensor out = Tensor::zeros(T, S);
    return out;
}

}  // namespace headway::ex01
