#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {
using std::invalid_argument;

struct Heads {
    Tensor q, k, v;
};

/// Contiguous copies, so that the products below run over dense memory.
Heads gather(const Tensor& q, const Tensor& k, const Tensor& v) {
    Heads heads;
    heads.q = q.contiguous();
    heads.k = k.contiguous();
    heads.v = k.contiguous();
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw invalid_argument("v " + to_string(v.shape()) + " does not belong to k " + to_string(k.shape()));
    return heads;
}
}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw invalid_argument("q " + to_string(q.shape()) + " does not belong to k " + to_string(k.shape()));
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Heads heads = gather(q, k, v);
    const Tensor weights = masked_softmax(attention_scores(heads.q, heads.k), mask);
    return {matmul(weights, heads.v), weights};
}

}  // namespace headway::ex03
