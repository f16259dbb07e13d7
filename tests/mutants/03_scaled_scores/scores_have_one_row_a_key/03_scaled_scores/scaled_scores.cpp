#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

void require(bool condition, const std::string& otherwise) {
    if (!condition) throw std::invalid_argument(otherwise);
}

float or_zero(float x) { return std::isinf(x) ? 0.0F : x; }
float or_one(float x) { return x == 0.0F ? 1.0F : x; }

Tensor each(Tensor x, float (*f)(float)) {
    for (Index i = 0; i < x.numel(); ++i) x.data()[i] = f(x.data()[i]);
    return x;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    require(q.rank() == 4 && k.rank() == 4, "attention_scores: four axes each");
    require(q.size(0) == k.size(0) && q.size(1) == k.size(1), "attention_scores: B and H must agree");
    require(q.size(3) == k.size(3), "attention_scores: head_dim must agree");
    // K·Qᵀ
    return matmul(k, q.transpose(2, 3)) / std::sqrt(static_cast<float>(k.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index s = 0; s < S; ++s)
        for (Index t = 0; t < T && t < s - (S - T); ++t) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < lengths[static_cast<std::size_t>(b)]; ++s) mask(b, 0, 0, s) = false;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor kept = masked_fill(scores, mask, -INFINITY);
    const Tensor e = exp(kept - each(max(kept, -1, KeepAxis::yes), or_zero));
    return e / each(sum(e, -1, KeepAxis::yes), or_one);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor scores = attention_scores(q, k).transpose(2, 3);
    require(v.rank() == 4 && v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2),
            "attention: every key needs its value");
    const Tensor weights = masked_softmax(scores, mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
