#include <headway/tensor.hpp>

namespace headway::ex01 {

class Layer {
public:
    Index heads = 2;
}

Index heads(const Layer& layer) {
    return layer.heads;
}

}  // namespace headway::ex01
