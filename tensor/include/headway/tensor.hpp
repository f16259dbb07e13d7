#pragma once

#include <headway/layout.hpp>
#include <headway/mask.hpp>
#include <headway/not_implemented.hpp>

#include <cmath>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace headway {

/// float32 numbers on a grid of any rank: shared storage + shape + strides + offset.
///
/// A copy is another view of the same storage, as in PyTorch: `Tensor b = a; b.fill(1)` changes `a`.
/// `clone()` copies the numbers. `Tensor{}` is *undefined*: no storage, no shape; it stands for "none".
class Tensor {
public:
    Tensor();
    // Not defaulted here: inlined wherever a tensor is held, they were a third of what compiling a submission costs.
    ~Tensor();
    Tensor(const Tensor&);
    Tensor(Tensor&&) noexcept;
    Tensor& operator=(const Tensor&);
    Tensor& operator=(Tensor&&) noexcept;

    static Tensor zeros(const Shape& shape);
    static Tensor ones(const Shape& shape);
    static Tensor full(const Shape& shape, float value);
    /// Storage that nobody has written: reading it before writing is a bug.
    static Tensor empty(const Shape& shape);
    /// The n × n identity matrix.
    static Tensor eye(Index n);
    /// 0, 1, ..., n - 1.
    static Tensor arange(Index n);
    /// Row-major values: `Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6})`.
    /// @throws std::invalid_argument if the count does not fit the shape
    static Tensor of(const Shape& shape, const std::vector<float>& values);
    /// A matrix, row by row: `Tensor::rows({{1, 2}, {3, 4}})`.
    /// @throws std::invalid_argument if the rows differ in length
    static Tensor rows(std::initializer_list<std::initializer_list<float>> rows);

    /// False for `Tensor{}`.
    bool defined() const { return storage_ != nullptr; }

    const Shape& shape() const { return layout_.shape; }
    const Strides& strides() const { return layout_.strides; }
    Index offset() const { return layout_.offset; }
    const Layout& layout() const { return layout_; }
    Index rank() const { return layout_.rank(); }
    Index numel() const { return defined() ? layout_.numel() : 0; }
    /// Size of an axis; -1 is the last one. @throws std::out_of_range, naming the axis and the rank
    Index size(Index axis) const;
    /// Row-major without gaps (axes of size 1 may have any stride; without numbers, all may).
    bool is_contiguous() const { return layout_.is_contiguous(); }
    bool shares_storage_with(const Tensor& other) const { return defined() && storage_ == other.storage_; }
    /// Whether no other tensor sees this storage, and this one sees all of it, row-major.
    bool owns_storage() const {
        return storage_.use_count() == 1 && layout_.offset == 0 && numel() == storage_size_ && is_contiguous();
    }

    /// Checked access to one element: `x(b, t, i) = 0`.
    /// @throws std::out_of_range: "index 5 is out of range for axis 2 of size 5, shape (2, 3, 5)"
    template <class... Is>
    float& operator()(Is... index) {
        return *locate({static_cast<Index>(index)...});
    }
    template <class... Is>
    float operator()(Is... index) const {
        return *locate({static_cast<Index>(index)...});
    }

    // ---- views: no element is copied. Everywhere in this library negative axes count from the end. ----------

    /// Any view of the same storage; all the others are made of it.
    /// Element [i0, i1, ...] of the result is storage[offset + Σ i·stride].       [as torch.as_strided]
    /// @throws std::invalid_argument if ranks differ, a size or stride is negative, or it would leave the storage
    Tensor as_strided(const Shape& shape, const Strides& strides, Index offset) const;
    /// as_strided with this tensor's offset.
    Tensor as_strided(const Shape& shape, const Strides& strides) const;

    /// The same numbers in the same order under another shape; one size may be -1 (inferred).
    /// @throws std::invalid_argument if the counts differ, or the tensor is not contiguous (it says why and what to do)
    Tensor view(const Shape& shape) const;
    /// Two axes swapped: only shape and strides change, nothing moves. @throws std::out_of_range if one does not exist
    Tensor transpose(Index axis0, Index axis1) const;
    /// Repeats axes of size 1, and axes missing in front, with stride 0.          [as torch.Tensor.expand]
    /// @throws std::invalid_argument if the shapes do not broadcast
    Tensor expand(const Shape& shape) const;
    /// One position of an axis; the axis disappears. @throws std::out_of_range
    Tensor select(Index axis, Index position) const;
    /// `select(0, position)`: `x[b][h]` is a matrix of a rank-4 tensor.
    Tensor operator[](Index position) const { return select(0, position); }
    /// Positions [begin, end) of an axis: none if begin == end.
    /// @throws std::out_of_range unless 0 <= begin <= end <= size
    Tensor slice(Index axis, Index begin, Index end) const;

    // ---- copies ---------------------------------------------------------------------------------------------

    /// This tensor if it is contiguous, else a row-major copy.
    Tensor contiguous() const;
    /// An independent copy of the storage: same shape, same strides, same offset. Where elements share a place, as
    /// after expand(), it is row-major instead, so that each element of the copy can be written alone.
    Tensor clone() const;

    // ---- writing through a view -----------------------------------------------------------------------------

    void fill(float value);
    /// Writes `source`, which broadcasts, into this tensor's elements: `out[b].copy_from(matmul(q, k))`.
    /// @throws std::invalid_argument if `source` does not broadcast to this shape, or this repeats numbers (stride 0)
    void copy_from(const Tensor& source);
    // These too: `other` broadcasts to this shape, never the other way round.
    Tensor& operator+=(const Tensor& other);
    Tensor& operator-=(const Tensor& other);
    Tensor& operator*=(const Tensor& other);
    Tensor& operator/=(const Tensor& other);
    Tensor& operator+=(float other);
    Tensor& operator-=(float other);
    Tensor& operator*=(float other);
    Tensor& operator/=(float other);

    /// The first element; the others lie at the strides, so `data()[i]` is element i only if `is_contiguous()`.
    float* data() { return storage_.get() + layout_.offset; }
    const float* data() const { return storage_.get() + layout_.offset; }
    /// How many floats the storage holds; views may show fewer.
    Index storage_size() const { return storage_size_; }

private:
    Tensor(Layout layout, std::shared_ptr<float[]> storage, Index storage_size);
    float* locate(std::initializer_list<Index> index) const;

    Layout layout_;
    std::shared_ptr<float[]> storage_;
    Index storage_size_ = 0;
};

// Elementwise; shapes broadcast by NumPy's rules. Results of these, and of all functions below, are row-major and share
// no storage with the arguments. @throws std::invalid_argument if shapes do not broadcast
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, float b);
Tensor operator-(const Tensor& a, float b);
Tensor operator*(const Tensor& a, float b);
Tensor operator/(const Tensor& a, float b);
Tensor operator+(float a, const Tensor& b);
Tensor operator-(float a, const Tensor& b);
Tensor operator*(float a, const Tensor& b);
Tensor operator/(float a, const Tensor& b);
Tensor operator-(const Tensor& a);

// The same for temporaries (as exp and masked_fill of them), whose memory becomes the result's unless others see it: in
// `exp(a - b) / c` only a - b takes new memory, and `x[0] / c` leaves x alone.
Tensor operator+(Tensor&& a, const Tensor& b);
Tensor operator-(Tensor&& a, const Tensor& b);
Tensor operator*(Tensor&& a, const Tensor& b);
Tensor operator/(Tensor&& a, const Tensor& b);
Tensor operator/(Tensor&& a, float b);

/// Nested brackets, four digits, long axes shortened.
std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

/// Whether a reduced axis stays, with size 1, so that the result broadcasts against the input.
enum class KeepAxis { no, yes };

// These live in a namespace that argument-dependent lookup does not search, so a `matmul` or `sum` of your own
// never collides with them.
namespace ops {

/// a · b over the last two axes; leading axes broadcast.
/// @param a (..., M, K)   @param b (..., K, N)   @return (..., M, N)
/// @throws std::invalid_argument, also for fewer than two axes: "matmul: (2, 3, 5, 4) x (2, 3, 7, 4): inner sizes 4 and
///         7 differ; did you mean b.transpose(-2, -1)?"
Tensor matmul(const Tensor& a, const Tensor& b);

Tensor exp(const Tensor& x);
Tensor exp(Tensor&& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);

// The same names for plain numbers, or the three above would hide them from code inside namespace headway.
using std::exp;
using std::log;
using std::sqrt;

/// Reductions over one axis; -1 is the last one. Over an axis of size 0 a sum is 0 and a mean NaN.
/// @throws std::out_of_range if there is no such axis
Tensor sum(const Tensor& x, Index axis, KeepAxis keep = KeepAxis::no);
Tensor mean(const Tensor& x, Index axis, KeepAxis keep = KeepAxis::no);
/// @throws std::invalid_argument if the axis is of size 0
Tensor max(const Tensor& x, Index axis, KeepAxis keep = KeepAxis::no);
inline float max(float a, float b) { return a < b ? b : a; }
inline double max(double a, double b) { return a < b ? b : a; }
inline Index max(Index a, Index b) { return a < b ? b : a; }
inline int max(int a, int b) { return a < b ? b : a; }

/// A copy of x with `value` where the mask is true. The mask broadcasts to x; with `Mask{}` it is a copy as well.
/// @throws std::invalid_argument if it does not broadcast
Tensor masked_fill(const Tensor& x, const Mask& mask, float value);
Tensor masked_fill(Tensor&& x, const Mask& mask, float value);

/// Tensors joined along an existing axis. @throws std::invalid_argument if the other sizes differ
Tensor cat(const std::vector<Tensor>& tensors, Index axis);

}  // namespace ops
using namespace ops;

}  // namespace headway
