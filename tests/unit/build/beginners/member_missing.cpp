#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor turned(const Tensor& x) {
    return x.T();
}

}  // namespace headway::ex01
