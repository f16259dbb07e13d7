#include "diagnosis/elements.hpp"

#include <headway/layout.hpp>

#include <cmath>

namespace headway::diagnosis {

Array zeros(const Shape& shape) {
    const auto count = static_cast<std::size_t>(Layout::contiguous(shape).numel());
    return {shape, std::vector<double>(count), std::vector<double>(count)};
}

void each(const Shape& shape, const std::function<void(Coordinate, std::size_t)>& visit) {
    const auto count = static_cast<std::size_t>(Layout::contiguous(shape).numel());
    std::vector<Index> at(shape.size(), 0);
    for (std::size_t flat = 0; flat < count; ++flat) {
        visit(at, flat);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            if (++at[axis] < shape[axis]) break;
            at[axis] = 0;
        }
    }
}

std::size_t position(const Shape& shape, Coordinate at) {
    std::size_t flat = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        flat = flat * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(at[axis]);
    return flat;
}

Array gathered(const Array& from, const Shape& shape, const std::function<std::size_t(Coordinate)>& where) {
    Array to = zeros(shape);
    each(shape, [&](Coordinate at, std::size_t flat) {
        const std::size_t source = where(at);
        to.value[flat] = from.value.at(source);
        to.error[flat] = from.error.at(source);
    });
    return to;
}

Array entry_zero_everywhere(const Array& x, std::size_t axis) {
    if (x.shape.size() != 4) return x;
    return gathered(x, x.shape, [&](Coordinate at) {
        std::vector<Index> from(at.begin(), at.end());
        from[axis] = 0;
        return position(x.shape, from);
    });
}

Shape last(const Shape& shape, std::size_t count) {
    return {shape.end() - static_cast<std::ptrdiff_t>(count), shape.end()};
}

Array mapped(const Array& from, const std::function<double(double)>& function) {
    Array to = from;
    for (std::size_t i = 0; i < to.value.size(); ++i) {
        to.value[i] = function(from.value[i]);
        to.error[i] += reference::unit_roundoff * std::abs(to.value[i]);
    }
    return to;
}

}  // namespace headway::diagnosis
