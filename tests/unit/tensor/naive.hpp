#pragma once

#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <vector>

/// Tensors as one would write them without any cleverness: an index is a list of numbers, and every element is looked
/// up on its own. The property tests compare the library with this.
namespace naive {

using headway::Index;
using headway::Mask;
using headway::Random;
using headway::Shape;
using headway::Tensor;
using Position = std::vector<Index>;

/// All indices of a shape, in row-major order.
std::vector<Position> indices(const Shape& shape);

/// The element of x at `index` of a shape that x broadcasts to.
float at(const Tensor& x, const Position& index);
bool at(const Mask& mask, const Position& index);

/// The elements in row-major order.
std::vector<float> numbers(const Tensor& x);
std::vector<bool> booleans(const Mask& mask);

/// The whole storage, seen or not.
std::vector<float> storage(const Tensor& x);

/// Sizes between `smallest` and `largest`, at most `max_rank` axes.
Shape random_shape(Random& random, Index min_rank, Index max_rank, Index smallest, Index largest);

/// A shape that broadcasts to `shape`: some axes become 1, some leading ones disappear.
Shape random_narrower(Random& random, const Shape& shape);

enum class Repeats { no, yes };

/// Random numbers of this shape at random strides and a random offset: axes in any order, with gaps between elements.
/// With Repeats::yes, some axes have stride 0.
Tensor random_view(Random& random, const Shape& shape, Repeats repeats = Repeats::no);
Mask random_mask(Random& random, const Shape& shape);

}  // namespace naive
