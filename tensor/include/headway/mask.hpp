#pragma once

#include <headway/layout.hpp>

#include <initializer_list>
#include <memory>
#include <string>

namespace headway {

/// Which keys a query may not attend to: **true = may not attend**, as in torch.nn.MultiheadAttention
/// (torch's scaled_dot_product_attention means the opposite).
///
/// A copy is another view of the same booleans, as with Tensor. `Mask{}` blocks nothing and has no shape.
class Mask {
public:
    Mask();
    // Compiled once, for the same reason as those of Tensor.
    ~Mask();
    Mask(const Mask&);
    Mask(Mask&&) noexcept;
    Mask& operator=(const Mask&);
    Mask& operator=(Mask&&) noexcept;

    /// Nothing blocked.
    static Mask allow_all(const Shape& shape);
    /// Everything blocked.
    static Mask block_all(const Shape& shape);
    /// Row-major values: `Mask::of({2, 2}, {false, true, false, false})`.
    /// @throws std::invalid_argument if the count does not fit the shape
    static Mask of(const Shape& shape, std::initializer_list<bool> blocked);

    /// False for `Mask{}`.
    bool defined() const { return storage_ != nullptr; }

    const Shape& shape() const { return layout_.shape; }
    const Strides& strides() const { return layout_.strides; }
    const Layout& layout() const { return layout_; }
    Index rank() const { return layout_.rank(); }
    Index numel() const { return defined() ? layout_.numel() : 0; }
    /// Size of an axis; -1 is the last one.
    Index size(Index axis) const;

    /// Checked access: `mask(query, key) = true`.
    /// @throws std::out_of_range, naming the axis
    template <class... Is>
    bool& operator()(Is... index) {
        return *locate({static_cast<Index>(index)...});
    }
    template <class... Is>
    bool operator()(Is... index) const {
        return *locate({static_cast<Index>(index)...});
    }

    /// A view with repeated axes, without a copy.   [as torch.Tensor.expand]
    /// @throws std::invalid_argument if the shapes do not broadcast, or for `Mask{}`, which has none
    Mask expand(const Shape& shape) const;

    /// A view of the same storage. Its offset counts from the beginning of the storage; this mask's is layout().offset.
    /// @throws std::invalid_argument if it would leave the storage
    Mask as_strided(const Shape& shape, const Strides& strides, Index offset) const;

    /// An independent copy, row-major.
    Mask clone() const;

    /// The first element; the others lie at the strides.
    const bool* data() const { return storage_.get() + layout_.offset; }
    bool* data() { return storage_.get() + layout_.offset; }
    Index storage_size() const { return storage_size_; }

private:
    Mask(Layout layout, std::shared_ptr<bool[]> storage, Index storage_size);
    bool* locate(std::initializer_list<Index> index) const;

    Layout layout_;
    std::shared_ptr<bool[]> storage_;
    Index storage_size_ = 0;
};

/// Blocked where either is; shapes broadcast, and `Mask{}` blocks nothing.
Mask operator|(const Mask& a, const Mask& b);
/// Blocked where `mask` is not. @throws std::invalid_argument for `Mask{}`, which has no shape
Mask operator!(const Mask& mask);

std::string to_string(const Mask& mask);

}  // namespace headway
