#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

struct Dims {
    Index B, H, L, d;
    explicit Dims(const Tensor& x) {
        if (x.rank() != 4) throw std::invalid_argument("expected (B, H, L, d), got " + to_string(x.shape()));
        B = x.size(0), H = x.size(1), L = x.size(2), d = x.size(3);
    }
    bool pairs_with(const Dims& other) const { return B == other.B && H == other.H; }
};

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    const Dims a(q), b(k);
    if (!a.pairs_with(b) || a.d != b.d) throw std::invalid_argument("attention_scores: q and k do not pair up");
    return matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<float>(a.d));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = std::max<Index>(0, t + S - T + 1); s < S; ++s) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    if (lengths.empty()) return mask;
    const Index max_length = *std::max_element(lengths.begin(), lengths.end());
    for (Index b = 0; b < B; ++b)
        for (Index s = max_length; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Dims n(scores);
    Tensor w = masked_fill(scores, mask, -INFINITY).contiguous().clone();
    for (Index row = 0; row < n.B * n.H * n.L; ++row) {
        float* first = w.data() + row * n.d;
        float* last = first + n.d;
        const float top = *std::max_element(first, last);
        float total = 0.0F;
        for (float* x = first; x != last; ++x) total += * x = *x == -INFINITY ? 0.0F : std::exp(*x - top);
        for (float* x = first; total != 0.0F && x != last; ++x) *x /= total;
    }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Dims keys(k), values(v);
    if (!keys.pairs_with(values) || keys.L != values.L)
        throw std::invalid_argument("attention: k and v do not pair up");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
