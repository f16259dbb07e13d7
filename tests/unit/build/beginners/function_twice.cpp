#include <headway/tensor.hpp>

namespace headway::ex01 {

Tensor first(const Tensor& x) { return x; }

Tensor first(const Tensor& x) { return x[0]; }

}  // namespace headway::ex01
