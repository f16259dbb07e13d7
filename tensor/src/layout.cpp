#include <headway/layout.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace headway {
namespace {

/// Nothing if the count does not fit an Index.
std::optional<Index> element_count(const Shape& shape) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    Index count = 1;
    for (const Index size : shape)
        if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
    return count;
}

void require_countable(const Shape& shape) {
    if (std::any_of(shape.begin(), shape.end(), [](Index size) { return size < 0; }))
        throw std::invalid_argument("shape " + to_string(shape) + ": a size must not be negative");
    if (!element_count(shape))
        throw std::invalid_argument("shape " + to_string(shape) + ": there are more elements than can be counted");
}

/// start + Σ (size - 1) * stride over the strides of one sign. It stops at the largest (smallest) Index instead of
/// wrapping around, so that a comparison with the storage's bounds is right for any layout.
Index reach(const Layout& layout, bool upwards) {
    const Index furthest = upwards ? std::numeric_limits<Index>::max() : std::numeric_limits<Index>::min();
    Index position = layout.offset;
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
        const Index stride = layout.strides[axis];
        if ((stride > 0) != upwards || stride == 0 || layout.shape[axis] <= 1) continue;
        Index distance = 0;
        if (__builtin_mul_overflow(layout.shape[axis] - 1, stride, &distance)) return furthest;
        if (__builtin_add_overflow(position, distance, &position)) return furthest;
    }
    return position;
}

/// The size that two axes broadcast to, or nothing.
std::optional<Index> broadcast_size(Index a, Index b) {
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    return std::nullopt;
}

// Apart from the functions that every element passes: their texts would be made room for in each call.

[[noreturn, gnu::cold, gnu::noinline]] void refuse_indices(std::size_t count, const Shape& shape) {
    const std::string rank = std::to_string(shape.size());
    throw std::out_of_range(std::to_string(count) + (count == 1 ? " index" : " indices") + " given, but rank " + rank +
                            " needs " + rank + ", shape " + to_string(shape));
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_index(Index index, std::size_t axis, const Shape& shape) {
    throw std::out_of_range("index " + std::to_string(index) + " is out of range for axis " + std::to_string(axis) +
                            " of size " + std::to_string(shape[axis]) + ", shape " + to_string(shape));
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_axis(Index axis, const Shape& shape) {
    throw std::out_of_range("axis " + std::to_string(axis) + " is out of range for rank " +
                            std::to_string(shape.size()) + ", shape " + to_string(shape));
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_to_expand(const Shape& shape, const Shape& wider) {
    throw std::invalid_argument("expand: " + to_string(shape) + " does not broadcast to " + to_string(wider));
}

}  // namespace

std::string to_string(const Shape& shape) {
    std::string text = "(";
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
    return text + ")";
}

Layout Layout::contiguous(const Shape& shape) {
    require_countable(shape);
    Layout layout{shape, Strides(shape.size()), 0};
    Index stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        layout.strides[axis] = stride;
        // Only (0, huge, huge) still overflows here: it is empty, so its strides are never used.
        if (__builtin_mul_overflow(stride, shape[axis], &stride)) stride = 0;
    }
    return layout;
}

Index Layout::numel() const {
    const std::optional<Index> count = element_count(shape);
    if (!count)
        throw std::invalid_argument("shape " + to_string(shape) + ": there are more elements than can be counted");
    return *count;
}

bool Layout::is_contiguous() const {
    if (numel() == 0) return true;
    Index expected = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] == 1) continue;
        if (strides[axis] != expected) return false;
        expected *= shape[axis];
    }
    return true;
}

bool Layout::may_overlap() const {
    if (numel() == 0) return false;
    std::vector<std::pair<Index, Index>> steps;  // stride and size, of axes along which there is a step
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 1) steps.emplace_back(std::abs(strides[axis]), shape[axis]);
    std::sort(steps.begin(), steps.end());
    Index reached = 0;
    for (const auto& [stride, size] : steps) {
        if (stride <= reached) return true;
        reached += (size - 1) * stride;
    }
    return false;
}

Index Layout::normalised_axis(Index axis) const {
    if (axis < -rank() || axis >= rank()) refuse_axis(axis, shape);
    return axis < 0 ? axis + rank() : axis;
}

Index Layout::locate(const Index* index, std::size_t count) const {
    if (count != shape.size()) refuse_indices(count, shape);
    Index position = offset;
    for (std::size_t axis = 0; axis < count; ++axis) {
        if (index[axis] < 0 || index[axis] >= shape[axis]) refuse_index(index[axis], axis, shape);
        position += index[axis] * strides[axis];
    }
    return position;
}

Layout Layout::expand(const Shape& wider) const {
    require_countable(wider);
    if (wider.size() < shape.size()) refuse_to_expand(shape, wider);
    Layout result{wider, Strides(wider.size(), 0), offset};
    const std::size_t added = wider.size() - shape.size();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == wider[added + axis])
            result.strides[added + axis] = strides[axis];
        else if (shape[axis] != 1)
            refuse_to_expand(shape, wider);
    }
    return result;
}

Index Layout::lowest() const { return reach(*this, false); }
Index Layout::highest() const { return reach(*this, true); }

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* operation) {
    const std::size_t rank = std::max(a.size(), b.size());
    Shape result(rank);
    for (std::size_t from_end = 1; from_end <= rank; ++from_end) {
        const Index size_a = from_end <= a.size() ? a[a.size() - from_end] : 1;
        const Index size_b = from_end <= b.size() ? b[b.size() - from_end] : 1;
        const std::optional<Index> size = broadcast_size(size_a, size_b);
        if (!size)
            throw std::invalid_argument(std::string(operation) + ": " + to_string(a) + " and " + to_string(b) +
                                        " do not broadcast: sizes " + std::to_string(size_a) + " and " +
                                        std::to_string(size_b) + " of axis -" + std::to_string(from_end) +
                                        " differ and neither is 1");
        result[rank - from_end] = *size;
    }
    return result;
}

}  // namespace headway
