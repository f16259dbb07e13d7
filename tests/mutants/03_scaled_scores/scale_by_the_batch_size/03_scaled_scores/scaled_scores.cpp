#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace headway::ex03 {
namespace {

void check(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    check(q.rank() == 4 && k.rank() == 4, "q and k need four axes");
    check(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3), "q and k do not belong together");
    const Tensor queries = q.contiguous(), keys = k.contiguous();
    const Index matrices = q.size(0) * q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    const float root = std::sqrt(static_cast<float>(queries.size(0)));
    Tensor scores = Tensor::empty({q.size(0), q.size(1), T, S});
    float* out = scores.data();
    for (Index m = 0; m < matrices; ++m)
        for (Index t = 0; t < T; ++t) {
            const float* query = queries.data() + (m * T + t) * d;
            for (Index s = 0; s < S; ++s)
                *out++ = std::inner_product(query, query + d, keys.data() + (m * S + s) * d, 0.0F) / root;
        }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index visible = std::clamp<Index>(t + S - T + 1, 0, S);
        std::fill_n(mask.data() + t * S, visible, false);
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, 1, S});
    bool* row = mask.data();
    for (const Index length : lengths) {
        std::fill_n(row, length, false);
        row += S;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    Tensor weights = masked_fill(scores, mask, lowest).contiguous().clone();
    const Index S = scores.size(3);
    for (float* row = weights.data(); row != weights.data() + weights.numel(); row += S) {
        const float top = *std::max_element(row, row + S);
        if (top == lowest) {
            std::fill_n(row, S, 0.0F);
            continue;
        }
        std::transform(row, row + S, row, [top](float x) { return std::exp(x - top); });
        const float total = std::accumulate(row, row + S, 0.0F);
        std::transform(row, row + S, row, [total](float e) { return e / total; });
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check(v.rank() == 4, "v needs four axes");
    check(k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2), "a value for each key");
    Attended result;
    result.weights = masked_softmax(attention_scores(q, k), mask);
    result.context = matmul(result.weights, v);
    return result;
}

}  // namespace headway::ex03
