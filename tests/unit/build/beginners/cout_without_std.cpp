#include <headway/tensor.hpp>

#include <iostream>

namespace headway::ex01 {

void show(const Tensor& x) {
    cout << x;
}

}  // namespace headway::ex01
