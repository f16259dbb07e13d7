#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headway {

/// A size, an axis or a position along an axis. Signed, as in PyTorch: differences of sizes must not wrap around.
using Index = std::ptrdiff_t;

/// The size of each axis, outermost first.
using Shape = std::vector<Index>;

/// How many elements of storage lie between two neighbours along each axis.
using Strides = std::vector<Index>;

/// "(2, 3, 5)", as error messages and printed tensors show it.
std::string to_string(const Shape& shape);

/// Where the elements of a tensor lie in its storage: element [i0, i1, ...] is storage[offset + Σ i·stride].
struct Layout {
    Shape shape;
    Strides strides;
    Index offset = 0;

    /// The row-major layout of `shape`: the last axis is dense.
    /// @throws std::invalid_argument if a size is negative or the element count overflows
    static Layout contiguous(const Shape& shape);

    Index rank() const { return static_cast<Index>(shape.size()); }
    Index numel() const;
    /// Row-major without gaps; axes of size 1 may have any stride, and where there are no elements, all axes may.
    bool is_contiguous() const;
    /// Whether two elements may lie in one place, as expand() leaves them. No for slices, and for axes in any order.
    bool may_overlap() const;

    /// `axis` counted from the front; -1 is the last one.
    /// @throws std::out_of_range, naming the axis and the rank
    Index normalised_axis(Index axis) const;

    /// Position in storage of the element at `index`.
    /// @throws std::out_of_range, naming the axis that `index` leaves
    Index locate(const Index* index, std::size_t count) const;

    /// The same elements seen as `wider`: axes of size 1, or missing in front, repeat with stride 0.
    /// @throws std::invalid_argument if the shapes do not broadcast
    Layout expand(const Shape& wider) const;

    /// Smallest and largest storage position that the layout reaches; meaningless when numel() is 0.
    Index lowest() const;
    Index highest() const;

    bool operator==(const Layout&) const = default;
};

/// The shape that `a` and `b` broadcast to, by NumPy's rules.
/// @throws std::invalid_argument, naming `operation`, if they do not
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* operation);

}  // namespace headway
