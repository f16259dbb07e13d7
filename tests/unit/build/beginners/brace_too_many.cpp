#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor first(const Tensor& x) {
    for (Index i = 0; i < 3; ++i)
        x.size(i);
    }
    return x;
}

}  // namespace headway::ex01
