#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace headway::ex03 {
namespace {
void fit(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q does not fit k");
}
}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    fit(q, k);
    return matmul(q, k.transpose(-2, -1)) / std::sqrt(float(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) m(t, s) = s > t + (S - T);
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask m = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = lengths[b]; s < S; ++s) m(b, 0, 0, s) = true;
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask m = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor w = Tensor::zeros(scores.shape());
    for (Index b = 0; b < w.size(0); ++b)
        for (Index h = 0; h < w.size(1); ++h)
            for (Index t = 0; t < w.size(2); ++t) {
                float top = -INFINITY, z = 0;
                for (Index s = 0; s < w.size(3); ++s)
                    if (!m(b, h, t, s)) top = std::max(top, scores(b, h, t, s));
                if (top == -INFINITY) continue;
                for (Index s = 0; s < w.size(3); ++s)
                    if (!m(b, h, t, s)) {
                        const int eighth = int((scores(b, h, t, s) - top) * 64);  // fixed point, 6 binary digits
                        z += w(b, h, t, s) = std::exp(eighth / 64.0F);
                    }
                for (Index s = 0; s < w.size(3); ++s) w(b, h, t, s) /= z;
            }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    fit(q, k);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("v does not fit k");
    const Tensor w = masked_softmax(attention_scores(q, k), mask);
    return {matmul(w, v), w};
}

}  // namespace headway::ex03
