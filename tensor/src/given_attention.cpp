#include <headway/given.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::given {
namespace {

/// Softmax over the last axis, as if blocked keys did not exist; zeros where all are blocked.
Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.size(-1) == 0) return scores;
    const Tensor allowed = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    Tensor largest = max(allowed, -1, KeepAxis::yes);
    for (Index row = 0; row < largest.numel(); ++row)  // -inf - -inf would be NaN in a row where all is blocked
        if (largest.data()[row] == -std::numeric_limits<float>::infinity()) largest.data()[row] = 0.0F;
    const Tensor raised = masked_fill(exp(allowed - largest), mask, 0.0F);
    Tensor total = sum(raised, -1, KeepAxis::yes);
    for (Index row = 0; row < total.numel(); ++row)
        if (total.data()[row] == 0.0F) total.data()[row] = 1.0F;
    return raised / total;
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
    const Strides& stride = k.strides();
    const Tensor k_transposed =
        k.as_strided({k.size(0), k.size(1), k.size(3), k.size(2)}, {stride[0], stride[1], stride[3], stride[2]});
    const Tensor scores = matmul(q, k_transposed) / std::sqrt(static_cast<float>(q.size(3)));
    const Tensor weights = masked_softmax(scores, mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::given
