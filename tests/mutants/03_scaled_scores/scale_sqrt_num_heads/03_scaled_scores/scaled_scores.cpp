#include "scaled_scores.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: q and k must be of rank 4");
    const Index B = q.size(0);
    const Index H = q.size(1);
    const Index T = q.size(2);
    const Index d = q.size(3);
    const Index S = k.size(2);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) throw std::invalid_argument("q and k do not match");

    const float root = std::sqrt(static_cast<float>(H));
    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            for (Index t = 0; t < T; ++t) {
                for (Index s = 0; s < S; ++s) {
                    float dot = 0.0F;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, h, s, i);
                    scores(b, h, t, s) = dot / root;
                }
            }
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask result = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        for (Index s = 0; s < S; ++s) {
            if (s <= t + S - T) result(t, s) = false;
        }
    }
    return result;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask result = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    Index b = 0;
    for (const Index length : lengths) {
        for (Index s = 0; s < S; ++s) {
            if (s >= length) result(b, 0, 0, s) = true;
        }
        ++b;
    }
    return result;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    const Index S = scores.size(3);
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            for (Index t = 0; t < scores.size(2); ++t) {
                float largest = -std::numeric_limits<float>::infinity();
                for (Index s = 0; s < S; ++s) {
                    if (!blocked(b, h, t, s) && scores(b, h, t, s) > largest) largest = scores(b, h, t, s);
                }
                float total = 0.0F;
                for (Index s = 0; s < S; ++s) {
                    if (!blocked(b, h, t, s)) {
                        weights(b, h, t, s) = std::exp(scores(b, h, t, s) - largest);
                        total += weights(b, h, t, s);
                    }
                }
                for (Index s = 0; s < S; ++s) {
                    if (total > 0.0F) weights(b, h, t, s) /= total;
                }
            }
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("there must be one value for each key");
    Attended result;
    result.weights = masked_softmax(attention_scores(q, k), mask);
    result.context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < q.size(0); ++b) {
        for (Index h = 0; h < q.size(1); ++h) {
            for (Index t = 0; t < q.size(2); ++t) {
                for (Index s = 0; s < k.size(2); ++s) {
                    for (Index j = 0; j < v.size(3); ++j) {
                        result.context(b, h, t, j) += result.weights(b, h, t, s) * v(b, h, s, j);
                    }
                }
            }
        }
    }
    return result;
}

}  // namespace headway::ex03
