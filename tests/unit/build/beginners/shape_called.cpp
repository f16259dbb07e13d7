#include <headway/tensor.hpp>

namespace headway::ex01 {

Index rows(const Tensor& x) {
    return x.shape(0);
}

}  // namespace headway::ex01
