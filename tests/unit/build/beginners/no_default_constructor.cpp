#include <headway/tensor.hpp>

namespace headway::ex01 {

class Linear {
public:
    Linear(Index in, Index out) : weight_(Tensor::zeros({in, out})) {}

private:
    Tensor weight_;
};

class Layer {
public:
    Layer(Index width) { width_ = width; }

private:
    Linear project_;
    Index width_;
};

}  // namespace headway::ex01
