#pragma once

#include <headway/layout.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace headway {

/// One axis that N layouts of the same shape share: its size, and the stride that each layout has there.
template <std::size_t N>
struct SharedAxis {
    Index size;
    std::array<Index, N> strides;

    /// Whether walking `outer` around this axis reaches the same positions as one longer axis would.
    bool continues_into(const SharedAxis& outer) const {
        for (std::size_t i = 0; i < N; ++i)
            if (outer.strides[i] != strides[i] * size) return false;
        return true;
    }
};

/// The axes, innermost first, as few and as long as the strides allow: contiguous layouts become a single axis.
template <std::size_t N>
std::vector<SharedAxis<N>> merged_axes(const Shape& shape, const std::array<const Strides*, N>& strides) {
    std::vector<SharedAxis<N>> axes;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] == 1) continue;
        SharedAxis<N> next{shape[axis], {}};
        for (std::size_t i = 0; i < N; ++i) next.strides[i] = (*strides[i])[axis];
        if (!axes.empty() && axes.back().continues_into(next))
            axes.back().size *= next.size;
        else
            axes.push_back(next);
    }
    if (axes.empty()) axes.push_back({1, {}});
    return axes;
}

/// Walks N layouts of one shape together, in row-major order, one innermost row at a time:
/// `row(at, steps, length)` gets where its row begins and how far apart its elements lie in each layout,
/// counted from each layout's first element.
template <std::size_t N, class Row>
void for_each_row(const Shape& shape, const std::array<const Strides*, N>& strides, Row row) {
    for (const Index size : shape)
        if (size == 0) return;

    const auto axes = merged_axes<N>(shape, strides);
    std::vector<Index> counters(axes.size(), 0);
    std::array<Index, N> at{};
    for (;;) {
        row(at, axes[0].strides, axes[0].size);
        std::size_t axis = 1;
        for (; axis < axes.size(); ++axis) {
            for (std::size_t i = 0; i < N; ++i) at[i] += axes[axis].strides[i];
            if (++counters[axis] < axes[axis].size) break;
            for (std::size_t i = 0; i < N; ++i) at[i] -= axes[axis].strides[i] * axes[axis].size;
            counters[axis] = 0;
        }
        if (axis == axes.size()) return;
    }
}

}  // namespace headway
