#include "suites/06_catch_the_bug/attentions/right/right.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headway::attentions {
namespace {

/// One feature of one projected token.
float projected(const Tensor& x, const Tensor& w, const Tensor& b, Index sequence, Index token, Index feature) {
    float sum = b.defined() ? b(feature) : 0;
    for (Index i = 0; i < x.size(2); ++i) sum += x(sequence, token, i) * w(i, feature);
    return sum;
}

Tensor all_projected(const Tensor& x, const Tensor& w, const Tensor& b) {
    Tensor y = Tensor::empty({x.size(0), x.size(1), w.size(1)});
    for (Index i = 0; i < y.size(0); ++i)
        for (Index t = 0; t < y.size(1); ++t)
            for (Index e = 0; e < y.size(2); ++e) y(i, t, e) = projected(x, w, b, i, t, e);
    return y;
}

}  // namespace

Attended nested_loops(const Inputs& in) {
    const InputSizes n = checked(in);
    const Tensor q = all_projected(in.query, in.w_q, in.b_q);
    const Tensor k = all_projected(in.key, in.w_k, in.b_k);
    const Tensor v = all_projected(in.value, in.w_v, in.b_v);
    const Mask hidden = blocked(in, n);
    Tensor weights = Tensor::zeros({n.B, n.H, n.T, n.S});
    Tensor merged = Tensor::zeros({n.B, n.T, n.E});
    std::vector<float> score(static_cast<std::size_t>(n.S));
    for (Index b = 0; b < n.B; ++b)
        for (Index h = 0; h < n.H; ++h)
            for (Index t = 0; t < n.T; ++t) {
                bool any = false;
                float largest = 0;
                for (Index s = 0; s < n.S; ++s) {
                    float sum = 0;
                    for (Index e = h * n.d; e < (h + 1) * n.d; ++e) sum += q(b, t, e) * k(b, s, e);
                    sum /= std::sqrt(static_cast<float>(n.d));
                    score[static_cast<std::size_t>(s)] = sum;
                    if (hidden(b, h, t, s)) continue;
                    largest = any ? std::max(largest, sum) : sum;
                    any = true;
                }
                if (!any) continue;
                float total = 0;
                for (Index s = 0; s < n.S; ++s)
                    if (!hidden(b, h, t, s))
                        total += weights(b, h, t, s) = std::exp(score[static_cast<std::size_t>(s)] - largest);
                for (Index s = 0; s < n.S; ++s) {
                    weights(b, h, t, s) /= total;
                    for (Index e = h * n.d; e < (h + 1) * n.d; ++e) merged(b, t, e) += weights(b, h, t, s) * v(b, s, e);
                }
            }
    return {all_projected(merged, in.w_o, in.b_o), weights};
}

}  // namespace headway::attentions
