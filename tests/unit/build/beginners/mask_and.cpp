#include <headway/tensor.hpp>

namespace headway::ex01 {

Mask both(const Mask& a, const Mask& b) {
    return a || b;
}

}  // namespace headway::ex01
