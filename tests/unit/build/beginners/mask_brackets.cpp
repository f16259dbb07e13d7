#include <headway/tensor.hpp>

namespace headway::ex01 {

bool blocked(const Mask& mask) {
    return mask[0][1];
}

}  // namespace headway::ex01
