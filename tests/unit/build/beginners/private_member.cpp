#include <headway/tensor.hpp>

namespace headway::ex01 {

class Layer {
    Index heads_ = 2;
};

Index heads(const Layer& layer) {
    return layer.heads_;
}

}  // namespace headway::ex01
