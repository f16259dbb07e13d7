#include "checks.hpp"
#include "dense.hpp"
#include "rows.hpp"

namespace headway::ops {
namespace {

/// One number for each line of x along `axis`: result = reduce_line(first, step, length).
template <class ReduceLine>
Tensor reduce(const Tensor& x, Index axis, KeepAxis keep, const char* operation, ReduceLine reduce_line) {
    require_defined(x, operation);
    const Index reduced = checked_axis(x.layout(), axis, operation);
    const Index length = x.size(reduced);
    const Index step = x.strides()[static_cast<std::size_t>(reduced)];
    Shape shape = x.shape();
    shape[static_cast<std::size_t>(reduced)] = 1;

    const Tensor result = Tensor::empty(shape);
    float* out = const_cast<Tensor&>(result).data();
    for_each_row<2>(shape, {&result.strides(), &x.strides()}, [&](auto at, auto steps, Index count) {
        for (Index i = 0; i < count; ++i)
            out[at[0] + i * steps[0]] = reduce_line(x.data() + at[1] + i * steps[1], step, length);
    });
    return keep == KeepAxis::yes ? result : result.select(reduced, 0);
}

/// In double, so that long axes lose no digits.
double line_sum(const float* first, Index step, Index length) {
    if (step == 1) return total(first, length);
    double sum = 0.0;
    for (Index i = 0; i < length; ++i) sum += static_cast<double>(first[i * step]);
    return sum;
}

}  // namespace

Tensor sum(const Tensor& x, Index axis, KeepAxis keep) {
    return reduce(x, axis, keep, "sum", [](const float* first, Index step, Index length) {
        return static_cast<float>(line_sum(first, step, length));
    });
}

Tensor mean(const Tensor& x, Index axis, KeepAxis keep) {
    return reduce(x, axis, keep, "mean", [](const float* first, Index step, Index length) {
        return static_cast<float>(line_sum(first, step, length) / static_cast<double>(length));
    });
}

Tensor max(const Tensor& x, Index axis, KeepAxis keep) {
    require_defined(x, "max");
    if (x.size(checked_axis(x.layout(), axis, "max")) == 0)
        throw std::invalid_argument("max: axis " + std::to_string(axis) + " of " + to_string(x.shape()) +
                                    " is empty, so there is no largest number");
    return reduce(x, axis, keep, "max", [](const float* first, Index step, Index length) {
        if (step == 1) return largest(first, length);
        float found = first[0];
        for (Index i = 1; i < length; ++i) {
            const float value = first[i * step];
            // A NaN compares false with everything: it enters by being unequal to itself, and nothing replaces it.
            if (value > found || value != value) found = value;
        }
        return found;
    });
}

}  // namespace headway::ops
