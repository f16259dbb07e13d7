#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor first(const Tensor& x) {
    const Index T = x.size(0);
    const Index T = x.size(1);
    return x.slice(0, 0, T);
}

}  // namespace headway::ex01
