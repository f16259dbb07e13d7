#include <headway/tensor.hpp>

namespace headway::ex01 {

Index least(const Tensor& x) {
    return min(x.size(0), 3);
}

}  // namespace headway::ex01
