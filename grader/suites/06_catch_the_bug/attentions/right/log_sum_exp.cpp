#include "suites/06_catch_the_bug/attentions/right/right.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::attentions {
namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

Tensor split(const Tensor& x, const InputSizes& n) { return x.view({n.B, x.size(1), n.H, n.d}).transpose(1, 2); }

Tensor with_bias(const Tensor& x, const Tensor& b) { return b.defined() ? x + b : x; }

}  // namespace

Attended log_sum_exp(const Inputs& in) {
    const InputSizes n = checked(in);
    const Tensor q = split(with_bias(matmul(in.query, in.w_q), in.b_q) / std::sqrt(static_cast<float>(n.d)), n);
    const Tensor k = split(with_bias(matmul(in.key, in.w_k), in.b_k), n);
    const Tensor v = split(with_bias(matmul(in.value, in.w_v), in.b_v), n);
    // Keys first, (B, H, S, T): the transpose is what is handed out.
    const Tensor scores = matmul(k, q.transpose(2, 3));
    const Mask hidden = blocked(in, n);
    Tensor weights = Tensor::zeros({n.B, n.H, n.S, n.T});
    for (Index b = 0; b < n.B; ++b)
        for (Index h = 0; h < n.H; ++h)
            for (Index t = 0; t < n.T; ++t) {
                float largest = nothing, total = 0;
                for (Index s = 0; s < n.S; ++s)
                    if (!hidden(b, h, t, s)) largest = std::max(largest, scores(b, h, s, t));
                for (Index s = 0; s < n.S; ++s)
                    if (!hidden(b, h, t, s)) total += std::exp(scores(b, h, s, t) - largest);
                const float log_total = std::log(total);
                for (Index s = 0; s < n.S; ++s)
                    if (!hidden(b, h, t, s)) weights(b, h, s, t) = std::exp(scores(b, h, s, t) - largest - log_total);
            }
    const Tensor context = matmul(weights.transpose(2, 3), v);
    const Tensor merged = context.transpose(1, 2).contiguous().view({n.B, n.T, n.E});
    return {with_bias(matmul(merged, in.w_o), in.b_o), weights.transpose(2, 3)};
}

}  // namespace headway::attentions
