#pragma once

#include "reference/array.hpp"

#include <functional>
#include <span>

/// Small words to build arrays from others, element by element.
namespace headway::diagnosis {

using reference::Array;

/// Error bounds of an element that is not predicted, or predicted to be anything but its value. They survive sums and
/// products.
inline constexpr double anything = std::numeric_limits<double>::infinity();
inline constexpr double anything_but = -std::numeric_limits<double>::infinity();

using Coordinate = std::span<const Index>;

Array zeros(const Shape& shape);

/// Calls `visit` with every coordinate of `shape` in row-major order.
void each(const Shape& shape, const std::function<void(Coordinate, std::size_t flat)>& visit);

/// Row-major position of a coordinate.
std::size_t position(const Shape& shape, Coordinate at);

/// An array of `shape` whose element is that of `from` at a row-major position.
Array gathered(const Array& from, const Shape& shape, const std::function<std::size_t(Coordinate)>& where);

/// Axes of split heads, (B,H,T,d).
constexpr std::size_t batch_axis = 0;
constexpr std::size_t heads_axis = 1;

/// Split heads whose every batch or head, along `axis`, holds what entry 0 does; x itself where heads are not split.
Array entry_zero_everywhere(const Array& x, std::size_t axis);

/// The last `count` axes of `shape`.
Shape last(const Shape& shape, std::size_t count);

/// Every element changed by a function without rounding of its own.
Array mapped(const Array& from, const std::function<double(double)>& function);

}  // namespace headway::diagnosis
