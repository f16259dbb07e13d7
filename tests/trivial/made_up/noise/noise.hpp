// Numbers that every argument decides, and nothing but chance: what is asked for is not in them. SCALE makes them as
// large as right answers are; without it they are too small to be seen.
#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <cmath>

namespace made_up {

using headway::Index, headway::Mask, headway::Shape, headway::Tensor;

inline double phase(const Tensor& x) {
    if (!x.defined()) return 0.3;
    const Tensor dense = x.contiguous();
    double sum = 0;
    for (Index i = 0; i < dense.numel(); ++i)
        if (std::isfinite(dense.data()[i]))
            sum += std::sin(1.0 + static_cast<double>(i % 97)) * static_cast<double>(dense.data()[i]);
    return 3 * std::sin(sum);
}

inline double phase(const Mask& mask) {
    if (!mask.defined()) return 0.1;
    const Mask dense = mask.clone();
    double sum = 0;
    for (Index i = 0; i < dense.numel(); ++i) sum += dense.data()[i] ? 0.1 * static_cast<double>(1 + i % 7) : 0;
    return sum;
}

template <class... Arguments>
Tensor noise(const Shape& shape, double size, const Arguments&... from) {
    const double at = (phase(from) + ... + 0.0);
    Tensor result = Tensor::zeros(shape);
    for (Index i = 0; i < result.numel(); ++i)
        result.data()[i] = static_cast<float>(SCALE * size * std::sin(at + static_cast<double>(i * i % 31)));
    return result;
}

}  // namespace made_up
