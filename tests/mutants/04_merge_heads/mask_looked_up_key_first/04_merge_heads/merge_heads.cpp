#include "merge_heads.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex04 {

namespace {

/// What head h of sequence b gathers, written into its columns of `merged` (T, D).
void attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Index b, Index h, Tensor merged) {
    const Index T = q.size(0), d = q.size(1);
    std::vector<float> w(static_cast<std::size_t>(T));
    for (Index t = 0; t < T; ++t) {
        float top = -INFINITY;
        for (Index s = 0; s < T; ++s) {
            float score = 0;
            for (Index i = 0; i < d; ++i) score += q(t, i) * k(s, i);
            score /= std::sqrt(static_cast<float>(d));
            if (mask.defined() && mask(b, h, s, t)) score = -INFINITY;
            if (score > top) top = score;
            w[static_cast<std::size_t>(s)] = score;
        }
        if (top == -INFINITY) continue;
        float total = 0;
        for (float& e : w) total += e = std::exp(e - top);
        for (Index s = 0; s < T; ++s)
            for (Index i = 0; i < d; ++i) merged(t, i) += w[static_cast<std::size_t>(s)] / total * v(s, i);
    }
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4)
        throw std::invalid_argument("merge_heads: not four axes but " + to_string(context.shape()));
    const Index H = context.size(1), d = context.size(3);
    Tensor merged = Tensor::zeros({context.size(0), context.size(2), H * d});
    for (Index h = 0; h < H; ++h) merged.slice(2, h * d, (h + 1) * d).copy_from(context.select(1, h));
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    const Tensor projected = matmul(merged, w_o);
    if (!b_o.defined()) return projected;
    if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o must be (D)");
    return projected + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("multi_head_attention: x " + to_string(x.shape()) + ", heads " +
                                    std::to_string(num_heads));
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = D / num_heads;
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: weights are (D, D)");
    const Tensor q = matmul(x, w_q), k = matmul(x, w_k), v = matmul(x, w_v);
    const Mask full = mask.defined() ? mask.expand({B, num_heads, T, T}) : mask;
    Tensor merged = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < num_heads; ++h) {
            const auto columns = [&](const Tensor& y) { return y[b].slice(1, h * d, h * d + d); };
            attend(columns(q), columns(k), columns(v), full, b, h, columns(merged));
        }
    return project_output(merged, w_o, {});
}

}  // namespace headway::ex04
