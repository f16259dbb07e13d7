#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex03 {

namespace {
constexpr Index softmax_dim = 0;

std::string both(const Tensor& a, const Tensor& b) { return to_string(a.shape()) + " vs. " + to_string(b.shape()); }

Mask equals(const Tensor& x, float value) {
    const Tensor dense = x.contiguous();
    Mask found = Mask::allow_all(dense.shape());
    for (Index i = 0; i < dense.numel(); ++i) found.data()[i] = dense.data()[i] == value;
    return found;
}
}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    const bool fits =
        q.rank() == 4 && k.rank() == 4 && q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(-1) == k.size(-1);
    if (!fits) throw std::invalid_argument("attention_scores: " + both(q, k));
    const float d_k = static_cast<float>(q.size(-1));
    return matmul(q, k.transpose(-2, -1)) / std::sqrt(d_k);
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    for (Index i = 0; i < T * S; ++i) m.data()[i] = i % S + T > i / S + S;
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask m = Mask::allow_all({B, 1, 1, S});
    for (Index i = 0; i < B * S; ++i) m.data()[i] = i % S >= lengths[static_cast<std::size_t>(i / S)];
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Tensor filled = masked_fill(scores, mask, -INFINITY);
    Tensor biggest = max(filled, softmax_dim, KeepAxis::yes);
    biggest = masked_fill(biggest, equals(biggest, -INFINITY), 0.0F);
    const Tensor e = exp(filled - biggest);
    const Tensor z = sum(e, softmax_dim, KeepAxis::yes);
    return e / masked_fill(z, equals(z, 0.0F), 1.0F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor p = masked_softmax(attention_scores(q, k), mask);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: " + both(k, v));
    return {matmul(p, v), p};
}

}  // namespace headway::ex03
