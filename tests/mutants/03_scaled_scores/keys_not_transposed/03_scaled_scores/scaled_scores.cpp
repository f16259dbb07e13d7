#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    for (Index axis : {0, 1, 3}) {
        if (q.size(axis) != k.size(axis)) throw std::invalid_argument("q and k do not go together");
    }
    auto width = static_cast<float>(q.size(-1));
    return matmul(q, k) / std::sqrt(width);
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        Index visible = t + 1 + S - T;
        for (Index s = 0; s < visible; ++s) m(t, s) = false;
    }
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    auto B = static_cast<Index>(lengths.size());
    Mask m = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b) {
        for (Index s = lengths[static_cast<std::size_t>(b)]; s < S; ++s) m(b, 0, 0, s) = true;
    }
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const float nothing = -std::numeric_limits<float>::infinity();
    Tensor filled = mask.defined() ? masked_fill(scores, mask, nothing) : scores;
    Tensor out = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            for (Index t = 0; t < scores.size(2); ++t) {
                float largest = nothing;
                for (Index s = 0; s < scores.size(3); ++s) largest = std::fmax(largest, filled(b, h, t, s));
                if (largest == nothing) continue;
                float sum = 0;
                for (Index s = 0; s < scores.size(3); ++s) sum += std::exp(filled(b, h, t, s) - largest);
                for (Index s = 0; s < scores.size(3); ++s)
                    out(b, h, t, s) = std::exp(filled(b, h, t, s) - largest) / sum;
            }
        }
    }
    return out;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.size(2) != k.size(2)) throw std::invalid_argument("every key needs a value");
    Tensor weights = masked_softmax(attention_scores(q, k), mask);
    return {matmul(weights, v), weights};
}

}  // namespace headway::ex03
