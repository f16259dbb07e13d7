#include <headway/tensor.hpp>

#include "checks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace headway {

void require_inside(const Layout& layout, Index storage_size) {
    const std::string what = "as_strided: shape " + to_string(layout.shape) + " with strides " +
                             to_string(layout.strides) + " and offset " + std::to_string(layout.offset);
    if (layout.shape.size() != layout.strides.size())
        throw std::invalid_argument(what + ": shape and strides differ in rank");
    const auto negative = [](Index value) { return value < 0; };
    if (std::any_of(layout.shape.begin(), layout.shape.end(), negative) ||
        std::any_of(layout.strides.begin(), layout.strides.end(), negative) || layout.offset < 0)
        throw std::invalid_argument(what + ": nothing may be negative");
    // A layout without elements reads nothing, but even the pointer to its beginning must stay valid.
    const Index beyond = layout.numel() == 0 ? layout.offset : layout.highest();
    const bool inside = layout.numel() == 0 ? beyond <= storage_size : beyond < storage_size;
    if (!inside)
        throw std::invalid_argument(what + " reaches position " + std::to_string(beyond) + " of a storage that holds " +
                                    std::to_string(storage_size));
}

Tensor::Tensor() = default;
Tensor::~Tensor() = default;
Tensor::Tensor(const Tensor&) = default;
Tensor::Tensor(Tensor&&) noexcept = default;
Tensor& Tensor::operator=(const Tensor&) = default;
Tensor& Tensor::operator=(Tensor&&) noexcept = default;

Tensor::Tensor(Layout layout, std::shared_ptr<float[]> storage, Index storage_size)
    : layout_(std::move(layout)), storage_(std::move(storage)), storage_size_(storage_size) {}

// ---- making tensors -----------------------------------------------------------------------------------------

Tensor Tensor::empty(const Shape& shape) {
    Layout layout = Layout::contiguous(shape);
    const Index count = layout.numel();
    // No (): the numbers stay as they were. No make_shared and no spare room either, so that AddressSanitizer sees a
    // read of element `count`.
    return {std::move(layout), std::shared_ptr<float[]>(new float[static_cast<std::size_t>(count)]), count};
}

Tensor Tensor::full(const Shape& shape, float value) {
    Tensor tensor = empty(shape);
    std::fill_n(tensor.data(), tensor.numel(), value);
    return tensor;
}

Tensor Tensor::zeros(const Shape& shape) { return full(shape, 0.0F); }
Tensor Tensor::ones(const Shape& shape) { return full(shape, 1.0F); }

Tensor Tensor::eye(Index n) {
    Tensor tensor = zeros({n, n});
    for (Index i = 0; i < n; ++i) tensor.data()[i * n + i] = 1.0F;
    return tensor;
}

Tensor Tensor::arange(Index n) {
    Tensor tensor = empty({n});
    for (Index i = 0; i < n; ++i) tensor.data()[i] = static_cast<float>(i);
    return tensor;
}

Tensor Tensor::of(const Shape& shape, const std::vector<float>& values) {
    const Index count = Layout::contiguous(shape).numel();
    if (static_cast<Index>(values.size()) != count)
        throw std::invalid_argument("Tensor::of: shape " + to_string(shape) + " needs " + std::to_string(count) +
                                    " values, not " + std::to_string(values.size()));
    Tensor tensor = empty(shape);
    std::copy(values.begin(), values.end(), tensor.data());
    return tensor;
}

Tensor Tensor::rows(std::initializer_list<std::initializer_list<float>> rows) {
    const std::size_t cols = rows.size() == 0 ? 0 : rows.begin()->size();
    Tensor tensor = empty({static_cast<Index>(rows.size()), static_cast<Index>(cols)});
    float* next = tensor.data();
    for (const auto& row : rows) {
        if (row.size() != cols)
            throw std::invalid_argument("Tensor::rows: the first row has " + std::to_string(cols) +
                                        " numbers, another has " + std::to_string(row.size()));
        next = std::copy(row.begin(), row.end(), next);
    }
    return tensor;
}

// ---- looking at one -----------------------------------------------------------------------------------------

Index Tensor::size(Index axis) const { return shape()[static_cast<std::size_t>(layout_.normalised_axis(axis))]; }

float* Tensor::locate(std::initializer_list<Index> index) const {
    require_defined(*this, "element access");
    return storage_.get() + layout_.locate(index.begin(), index.size());
}

// ---- views --------------------------------------------------------------------------------------------------

Tensor Tensor::as_strided(const Shape& shape, const Strides& strides, Index offset) const {
    require_defined(*this, "as_strided");
    Layout layout{shape, strides, offset};
    require_inside(layout, storage_size_);
    return {std::move(layout), storage_, storage_size_};
}

Tensor Tensor::as_strided(const Shape& shape, const Strides& strides) const {
    return as_strided(shape, strides, offset());
}

Tensor Tensor::expand(const Shape& shape) const {
    require_defined(*this, "expand");
    return {layout_.expand(shape), storage_, storage_size_};
}

Tensor Tensor::select(Index axis, Index position) const {
    require_defined(*this, "select");
    const Index kept = checked_axis(layout_, axis, "select");
    if (position < 0 || position >= size(kept))
        throw std::out_of_range("select: position " + std::to_string(position) + " is out of range for axis " +
                                std::to_string(kept) + " of size " + std::to_string(size(kept)) + ", shape " +
                                to_string(shape()));
    Layout layout = slice(kept, position, position + 1).layout();
    layout.shape.erase(layout.shape.begin() + kept);
    layout.strides.erase(layout.strides.begin() + kept);
    return {std::move(layout), storage_, storage_size_};
}

Tensor Tensor::slice(Index axis, Index begin, Index end) const {
    require_defined(*this, "slice");
    const Index kept = checked_axis(layout_, axis, "slice");
    if (begin < 0 || begin > end || end > size(kept))
        throw std::out_of_range("slice: [" + std::to_string(begin) + ", " + std::to_string(end) +
                                ") is out of range for axis " + std::to_string(kept) + " of size " +
                                std::to_string(size(kept)) + ", shape " + to_string(shape()));
    Layout layout = layout_;
    layout.shape[static_cast<std::size_t>(kept)] = end - begin;
    // An empty view keeps its beginning: moved, it could point outside the storage.
    if (layout.numel() != 0) layout.offset += begin * layout.strides[static_cast<std::size_t>(kept)];
    return {std::move(layout), storage_, storage_size_};
}

// ---- copies -------------------------------------------------------------------------------------------------

Tensor Tensor::clone() const {
    if (!defined()) return {};
    if (layout_.may_overlap()) {
        Tensor row_major = empty(shape());
        row_major.copy_from(*this);
        return row_major;
    }
    const std::shared_ptr<float[]> copy(new float[static_cast<std::size_t>(storage_size_)]);
    std::copy_n(storage_.get(), storage_size_, copy.get());
    return {layout_, copy, storage_size_};
}

}  // namespace headway
