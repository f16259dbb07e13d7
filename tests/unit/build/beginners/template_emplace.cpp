#include <headway/tensor.hpp>

namespace headway::ex01 {

std::vector<Tensor> tensors() {
    std::vector<Tensor> all;
    all.emplace_back(3, 4);
    return all;
}

}  // namespace headway::ex01
