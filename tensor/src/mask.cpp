#include <headway/mask.hpp>

#include "checks.hpp"
#include "rows.hpp"

#include <algorithm>
#include <utility>

namespace headway {
namespace {

/// Apart from what every element passes: see layout.cpp.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_undefined(const char* operation) {
    throw std::invalid_argument(std::string(operation) + ": the mask is undefined (a Mask{} has no shape)");
}

void require_defined(const Mask& mask, const char* operation) {
    if (!mask.defined()) refuse_undefined(operation);
}

}  // namespace

Mask::Mask() = default;
Mask::~Mask() = default;
Mask::Mask(const Mask&) = default;
Mask::Mask(Mask&&) noexcept = default;
Mask& Mask::operator=(const Mask&) = default;
Mask& Mask::operator=(Mask&&) noexcept = default;

Mask::Mask(Layout layout, std::shared_ptr<bool[]> storage, Index storage_size)
    : layout_(std::move(layout)), storage_(std::move(storage)), storage_size_(storage_size) {}

Mask Mask::allow_all(const Shape& shape) {
    Layout layout = Layout::contiguous(shape);
    const Index count = layout.numel();
    return {std::move(layout), std::shared_ptr<bool[]>(new bool[static_cast<std::size_t>(count)]()), count};
}

Mask Mask::block_all(const Shape& shape) {
    Mask mask = allow_all(shape);
    std::fill_n(mask.data(), mask.numel(), true);
    return mask;
}

Mask Mask::of(const Shape& shape, std::initializer_list<bool> blocked) {
    Mask mask = allow_all(shape);
    if (static_cast<Index>(blocked.size()) != mask.numel())
        throw std::invalid_argument("Mask::of: shape " + to_string(shape) + " needs " + std::to_string(mask.numel()) +
                                    " values, not " + std::to_string(blocked.size()));
    std::copy(blocked.begin(), blocked.end(), mask.data());
    return mask;
}

Index Mask::size(Index axis) const { return shape()[static_cast<std::size_t>(layout_.normalised_axis(axis))]; }

bool* Mask::locate(std::initializer_list<Index> index) const {
    require_defined(*this, "element access");
    return storage_.get() + layout_.locate(index.begin(), index.size());
}

Mask Mask::expand(const Shape& shape) const {
    require_defined(*this, "expand");
    return {layout_.expand(shape), storage_, storage_size_};
}

Mask Mask::as_strided(const Shape& shape, const Strides& strides, Index offset) const {
    require_defined(*this, "as_strided");
    Layout layout{shape, strides, offset};
    require_inside(layout, storage_size_);
    return {std::move(layout), storage_, storage_size_};
}

Mask Mask::clone() const {
    if (!defined()) return {};
    Mask copy = allow_all(shape());
    for_each_row<2>(shape(), {&copy.strides(), &strides()}, [&](auto at, auto step, Index length) {
        for (Index i = 0; i < length; ++i) copy.data()[at[0] + i * step[0]] = data()[at[1] + i * step[1]];
    });
    return copy;
}

Mask operator|(const Mask& a, const Mask& b) {
    if (!a.defined()) return b.clone();
    if (!b.defined()) return a.clone();
    Mask either = Mask::allow_all(broadcast_shapes(a.shape(), b.shape(), "a | b"));
    const Mask left = a.expand(either.shape());
    const Mask right = b.expand(either.shape());
    for_each_row<3>(either.shape(), {&either.strides(), &left.strides(), &right.strides()},
                    [&](auto at, auto step, Index length) {
                        for (Index i = 0; i < length; ++i)
                            either.data()[at[0] + i * step[0]] =
                                left.data()[at[1] + i * step[1]] || right.data()[at[2] + i * step[2]];
                    });
    return either;
}

Mask operator!(const Mask& mask) {
    require_defined(mask, "!mask");
    Mask opposite = mask.clone();
    for (Index i = 0; i < opposite.numel(); ++i) opposite.data()[i] = !opposite.data()[i];
    return opposite;
}

}  // namespace headway
