#include "catch_the_bug.hpp"

#include <cmath>

// Your tests run here against one right attention, which you may read, step through and break: put a bug in, and see
// which of your tests notices. (The grader has its own attentions and does not look at this file.)
namespace headway::ex06 {
namespace {

/// (B, n, D) · (D, E) + (E) -> (B, H, n, d)
Tensor heads(const Tensor& x, const Tensor& w, const Tensor& b, Index num_heads) {
    const Tensor y = b.defined() ? matmul(x, w) + b : matmul(x, w);
    return y.view({x.size(0), x.size(1), num_heads, w.size(1) / num_heads}).transpose(1, 2);
}

/// Whether query t of T may not see key s of S.
bool is_blocked(const Inputs& in, const Mask& mask, Index b, Index h, Index t, Index s) {
    if (in.causal && s > t + in.key.size(1) - in.query.size(1)) return true;
    return mask.defined() && mask(b, h, t, s);
}

}  // namespace

Attended attention(const Inputs& in) {
    const Index B = in.query.size(0), T = in.query.size(1), S = in.key.size(1), H = in.num_heads;
    const Tensor q = heads(in.query, in.w_q, in.b_q, H);
    const Tensor k = heads(in.key, in.w_k, in.b_k, H);
    const Tensor v = heads(in.value, in.w_v, in.b_v, H);
    const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
    const Mask mask = in.mask.defined() ? in.mask.expand({B, H, T, S}) : Mask{};
    Tensor weights = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float largest = -INFINITY;
                for (Index s = 0; s < S; ++s)
                    if (!is_blocked(in, mask, b, h, t, s)) largest = max(largest, scores(b, h, t, s));
                float total = 0;
                for (Index s = 0; s < S; ++s)
                    if (!is_blocked(in, mask, b, h, t, s))
                        total += weights(b, h, t, s) = std::exp(scores(b, h, t, s) - largest);
                for (Index s = 0; s < S && total > 0; ++s) weights(b, h, t, s) /= total;
            }
    const Tensor merged = matmul(weights, v).transpose(1, 2).contiguous().view({B, T, in.w_q.size(1)});
    const Tensor output = matmul(merged, in.w_o);
    return {in.b_o.defined() ? output + in.b_o : output, weights};
}

}  // namespace headway::ex06
