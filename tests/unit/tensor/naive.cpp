#include "naive.hpp"

#include <algorithm>
#include <numeric>

namespace naive {
namespace {

using headway::Layout;
using headway::Strides;

std::size_t as_size(Index value) { return static_cast<std::size_t>(value); }

Index position_of(const Layout& layout, const Position& index) {
    const std::size_t extra = index.size() - layout.shape.size();
    Index position = 0;
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis)
        if (layout.shape[axis] != 1) position += index[extra + axis] * layout.strides[axis];
    return position;
}

/// Strides of any axis order with gaps, and the size of a storage in which they fit behind `offset`.
struct Placement {
    Strides strides;
    Index offset;
    Index storage_size;
};

Placement random_placement(Random& random, const Shape& shape, Repeats repeats) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), 0U);
    if (random.integer(0, 1) == 1)
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[as_size(random.integer(0, static_cast<Index>(i) - 1))]);

    Placement placement{Strides(shape.size()), random.integer(0, 5), 0};
    const bool gaps = random.integer(0, 1) == 1;
    Index stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::size_t axis = order[i];
        if (repeats == Repeats::yes && random.integer(0, 3) == 0) continue;
        if (gaps) stride *= random.integer(1, 2);
        placement.strides[axis] = stride;
        stride *= std::max<Index>(shape[axis], 1);
        if (gaps) stride += random.integer(0, 2);
    }
    placement.storage_size = placement.offset + stride + random.integer(0, 3);
    return placement;
}

}  // namespace

std::vector<Position> indices(const Shape& shape) {
    std::vector<Position> all = {{}};
    for (const Index size : shape) {
        std::vector<Position> longer;
        for (const Position& prefix : all)
            for (Index i = 0; i < size; ++i) {
                longer.push_back(prefix);
                longer.back().push_back(i);
            }
        all = std::move(longer);
    }
    return all;
}

float at(const Tensor& x, const Position& index) { return x.data()[position_of(x.layout(), index)]; }
bool at(const Mask& mask, const Position& index) { return mask.data()[position_of(mask.layout(), index)]; }

std::vector<float> numbers(const Tensor& x) {
    std::vector<float> all;
    for (const Position& index : indices(x.shape())) all.push_back(at(x, index));
    return all;
}

std::vector<bool> booleans(const Mask& mask) {
    std::vector<bool> all;
    for (const Position& index : indices(mask.shape())) all.push_back(at(mask, index));
    return all;
}

std::vector<float> storage(const Tensor& x) {
    const float* first = x.data() - x.offset();
    return {first, first + x.storage_size()};
}

Shape random_shape(Random& random, Index min_rank, Index max_rank, Index smallest, Index largest) {
    Shape shape(as_size(random.integer(min_rank, max_rank)));
    for (Index& size : shape) size = random.integer(smallest, largest);
    return shape;
}

Shape random_narrower(Random& random, const Shape& shape) {
    Shape narrower = shape;
    for (Index& size : narrower)
        if (random.integer(0, 2) == 0) size = 1;
    const Index dropped = random.integer(0, 2) == 0 ? random.integer(0, static_cast<Index>(shape.size())) : 0;
    narrower.erase(narrower.begin(), narrower.begin() + dropped);
    return narrower;
}

Tensor random_view(Random& random, const Shape& shape, Repeats repeats) {
    const Placement placement = random_placement(random, shape, repeats);
    return random.normal({placement.storage_size}).as_strided(shape, placement.strides, placement.offset);
}

Mask random_mask(Random& random, const Shape& shape) {
    const Placement placement = random_placement(random, shape, Repeats::yes);
    Mask values = Mask::allow_all({placement.storage_size});
    for (Index i = 0; i < values.numel(); ++i) values(i) = random.integer(0, 1) == 1;
    return values.as_strided(shape, placement.strides, placement.offset);
}

}  // namespace naive
