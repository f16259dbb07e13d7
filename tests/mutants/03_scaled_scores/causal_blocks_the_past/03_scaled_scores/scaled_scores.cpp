#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

constexpr Index kBatch = 0, kHead = 1, kToken = 2, kFeature = 3;

[[noreturn]] void mismatch(const char* what, const Tensor& a, const Tensor& b) {
    throw std::invalid_argument(std::string(what) + " differs in " + to_string(a.shape()) + " and " +
                                to_string(b.shape()));
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k must have four axes");
    if (q.size(kBatch) != k.size(kBatch)) mismatch("batch", q, k);
    if (q.size(kHead) != k.size(kHead)) mismatch("number of heads", q, k);
    if (q.size(kFeature) != k.size(kFeature)) mismatch("head_dim", q, k);
    Tensor scores = matmul(q, k.transpose(kToken, kFeature));
    scores *= 1.0F / std::sqrt(static_cast<float>(q.size(kFeature)));
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index own_position = t + (S - T);
        for (Index s = 0; s < S; ++s) mask(t, s) = own_position > s;
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(kBatch); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[static_cast<std::size_t>(b)];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor e = masked_fill(scores, mask, -1e30F);
    e = exp(e - max(e, kFeature, KeepAxis::yes));
    e = masked_fill(e, mask, 0.0F);
    return e / (sum(e, kFeature, KeepAxis::yes) + 1e-30F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    if (k.size(kBatch) != v.size(kBatch)) mismatch("batch", k, v);
    if (k.size(kHead) != v.size(kHead)) mismatch("number of heads", k, v);
    if (k.size(kToken) != v.size(kToken)) mismatch("length", k, v);
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
