#include "split.hpp"

#include <stdexcept>

namespace headway::ex05 {

Tensor split(const Tensor& tensor, Index n_head) {
    if (tensor.rank() != 3)
        throw std::invalid_argument("split: three axes are needed, not " + to_string(tensor.shape()));
    return tensor.view({tensor.size(0), n_head, tensor.size(1), tensor.size(2) / n_head});
}

Tensor concat(const Tensor& tensor) {
    const Index length = tensor.size(2), d_model = tensor.size(1) * tensor.size(3);
    return tensor.transpose(1, 2).contiguous().view({tensor.size(0), length, d_model});
}

}  // namespace headway::ex05
