#include <headway/tensor.hpp>

namespace headway::ex01 {

Index width(const Tensor& x) {
    return x->size(1);
}

}  // namespace headway::ex01
