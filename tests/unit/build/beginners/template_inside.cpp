#include <headway/tensor.hpp>

#include <algorithm>

namespace headway::ex01 {

std::vector<std::string> names(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> sorted = tensors;
    std::sort(sorted.begin(), sorted.end());
    return {};
}

}  // namespace headway::ex01
