#include "suites/06_catch_the_bug/attentions/right/right.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headway::attentions {
namespace {

using Numbers = std::vector<double>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// (tokens, E), row by row.
Numbers project(const Tensor& x, const Tensor& w, const Tensor& b) {
    const Index tokens = x.size(0) * x.size(1), D = x.size(2), E = w.size(1);
    Numbers y(at(tokens * E));
    for (Index t = 0; t < tokens; ++t)
        for (Index e = 0; e < E; ++e) {
            double sum = 0;
            for (Index i = D; i-- > 0;) sum += double{x(t / x.size(1), t % x.size(1), i)} * double{w(i, e)};
            y[at(t * E + e)] = sum + (b.defined() ? double{b(e)} : 0);
        }
    return y;
}

}  // namespace

Attended double_precision(const Inputs& in) {
    const InputSizes n = checked(in);
    const Numbers q = project(in.query, in.w_q, in.b_q), k = project(in.key, in.w_k, in.b_k),
                  v = project(in.value, in.w_v, in.b_v);
    const Mask hidden = blocked(in, n);
    Attended out{Tensor::zeros({n.B, n.T, n.D}), Tensor::zeros({n.B, n.H, n.T, n.S})};
    Numbers share(at(n.S));
    for (Index b = 0; b < n.B; ++b)
        for (Index t = 0; t < n.T; ++t) {
            Numbers merged(at(n.E));
            for (Index h = n.H; h-- > 0;) {
                double largest = -HUGE_VAL;
                for (Index s = n.S; s-- > 0;) {
                    double score = 0;
                    for (Index i = h * n.d; i < (h + 1) * n.d; ++i)
                        score += q[at((b * n.T + t) * n.E + i)] * k[at((b * n.S + s) * n.E + i)];
                    share[at(s)] = hidden(b, h, t, s) ? -HUGE_VAL : score / std::sqrt(static_cast<double>(n.d));
                    largest = std::max(largest, share[at(s)]);
                }
                if (largest == -HUGE_VAL) continue;
                double total = 0;
                for (Index s = n.S; s-- > 0;) total += share[at(s)] = std::exp(share[at(s)] - largest);
                for (Index s = n.S; s-- > 0;) {
                    const double weight = share[at(s)] / total;
                    out.weights(b, h, t, s) = static_cast<float>(weight);
                    for (Index i = h * n.d; i < (h + 1) * n.d; ++i)
                        merged[at(i)] += weight * v[at((b * n.S + s) * n.E + i)];
                }
            }
            for (Index j = 0; j < n.D; ++j) {
                double sum = in.b_o.defined() ? double{in.b_o(j)} : 0;
                for (Index e = n.E; e-- > 0;) sum += merged[at(e)] * double{in.w_o(e, j)};
                out.output(b, t, j) = static_cast<float>(sum);
            }
        }
    return out;
}

}  // namespace headway::attentions
