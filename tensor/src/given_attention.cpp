#include <headway/engine.hpp>
#include <headway/given.hpp>

#include "dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

namespace headway::given {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Which keys one query may not attend to: key s if first[s * step]. No query's row if `first` is null.
struct BlockedKeys {
    const bool* first;
    Index step;
};

/// row = softmax(row · scale) as if blocked keys did not exist; zeros where all are blocked.
void masked_softmax(float* row, Index S, float scale, BlockedKeys blocked) {
    const auto [first, step] = blocked;
    if (first != nullptr)
        for (Index s = 0; s < S; ++s) row[s] = first[s * step] ? -infinity : row[s];
    const float shift = largest(row, S) * scale;
    if (shift == -infinity) {  // -inf - -inf would be NaN
        std::fill_n(row, S, 0.0F);
        return;
    }
    exponentials(row, S, scale, shift, row);
    const auto sum = static_cast<float>(total(row, S));
    for (Index s = 0; s < S; ++s) row[s] /= sum;
}

/// Rows [begin, end) of the matrix x[b, h].
detail::MatrixView rows_of(const Tensor& x, Index b, Index h, Index begin, Index end) {
    const Strides& stride = x.strides();
    return {x.data() + b * stride[0] + h * stride[1] + begin * stride[2], end - begin, x.size(3), stride[2], stride[3]};
}

detail::MatrixView transposed(const detail::MatrixView& x) {
    return {x.data, x.cols, x.rows, x.col_stride, x.row_stride};
}

/// Some queries at a time, so that their scores are still in the cache when softmax and product come to them.
/// @param weights  (B, H, T, S), or undefined where nobody wants them: then they exist for those queries only
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, const Tensor& weights) {
    constexpr Index numbers_at_once = 128 * 1024;
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    const Index at_once = std::clamp<Index>(numbers_at_once / std::max<Index>(S, 1), 1, std::max<Index>(T, 1));
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.size(3)));
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    Tensor context = Tensor::empty({B, H, T, d_v});
    Tensor kept = weights.defined() ? weights : Tensor::empty({at_once, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index begin = 0; begin < T; begin += at_once) {
                const Index end = std::min(begin + at_once, T), row = (b * H + h) * T + begin;
                float* some = kept.data() + (weights.defined() ? row * S : 0);
                detail::multiply(rows_of(q, b, h, begin, end), transposed(rows_of(k, b, h, 0, S)), some);
                for (Index t = begin; t < end; ++t) {
                    BlockedKeys blocked{nullptr, 0};
                    if (wide.defined()) {
                        const Strides& stride = wide.strides();
                        blocked = {wide.data() + b * stride[0] + h * stride[1] + t * stride[2], stride[3]};
                    }
                    masked_softmax(some + (t - begin) * S, S, scale, blocked);
                }
                detail::multiply({some, end - begin, S, S, 1}, rows_of(v, b, h, 0, S), context.data() + row * d_v);
            }
    return context;
}

void require_shapes_fit(const Tensor& q, const Tensor& k, const Tensor& v) {
    const std::string what = "scaled_dot_product_attention: q " + to_string(q.shape()) + ", k " + to_string(k.shape()) +
                             ", v " + to_string(v.shape()) + ": ";
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4)
        throw std::invalid_argument(what + "each must be of rank 4, (B, H, length, width)");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || k.size(0) != v.size(0) || k.size(1) != v.size(1))
        throw std::invalid_argument(what + "B and H must agree");
    if (q.size(3) != k.size(3)) throw std::invalid_argument(what + "the widths of q and k differ");
    if (k.size(2) != v.size(2)) throw std::invalid_argument(what + "the lengths of k and v differ");
}

}  // namespace

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b) {
        const Index length = lengths[static_cast<std::size_t>(b)];
        if (length < 0 || length > S)
            throw std::invalid_argument("padding_mask: length " + std::to_string(length) + " of sequence " +
                                        std::to_string(b) + " is not in [0, " + std::to_string(S) + "]");
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= length;
    }
    return mask;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require_shapes_fit(q, k, v);
    const Tensor weights = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    return {attend(q, k, v, mask, weights), weights};
}

Tensor scaled_dot_product_context(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require_shapes_fit(q, k, v);
    return attend(q, k, v, mask, {});
}

}  // namespace headway::given
