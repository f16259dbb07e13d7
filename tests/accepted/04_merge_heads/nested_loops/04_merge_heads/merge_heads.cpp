#include "merge_heads.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex04 {

static void need(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

Tensor merge_heads(const Tensor& context) {
    need(context.rank() == 4, "context must be (B, H, T, d)");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) merged(b, t, h * d + i) = context(b, h, t, i);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    need(merged.rank() == 3, "merged must be (B, T, E)");
    need(w_o.rank() == 2 && w_o.size(0) == merged.size(2), "w_o must be (E, D)");
    const Index D = w_o.size(1);
    if (b_o.defined()) need(b_o.rank() == 1 && b_o.size(0) == D, "b_o must be (D)");
    Tensor out = Tensor::zeros({merged.size(0), merged.size(1), D});
    for (Index b = 0; b < out.size(0); ++b)
        for (Index t = 0; t < out.size(1); ++t)
            for (Index j = 0; j < D; ++j) {
                float y = b_o.defined() ? b_o(j) : 0.0F;
                for (Index e = 0; e < w_o.size(0); ++e) y += merged(b, t, e) * w_o(e, j);
                out(b, t, j) = y;
            }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    need(x.rank() == 3, "x must be (B, T, D)");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o}) need(w->shape() == Shape{D, D}, "weights must be (D, D)");
    need(num_heads >= 1, "num_heads must be at least 1");
    need(D % num_heads == 0, "num_heads must divide D");
    const Index d = D / num_heads;
    const Shape wide{B, num_heads, T, T};
    const Mask blocked = mask.defined() ? mask.expand(wide) : Mask::allow_all(wide);

    // a bias-free linear layer is what project_output does without b_o
    const Tensor q = project_output(x, w_q, {}), k = project_output(x, w_k, {}), v = project_output(x, w_v, {});
    Tensor merged = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < num_heads; ++h)
            for (Index t = 0; t < T; ++t) {
                std::vector<float> row(static_cast<std::size_t>(T), -INFINITY);
                float top = -INFINITY;
                for (Index s = 0; s < T; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    float dot = 0;
                    for (Index i = h * d; i < (h + 1) * d; ++i) dot += q(b, t, i) * k(b, s, i);
                    row[s] = dot / std::sqrt(static_cast<float>(d));
                    top = std::fmax(top, row[s]);
                }
                if (std::isinf(top)) continue;
                float total = 0;
                for (float& r : row) total += r = std::exp(r - top);
                for (Index s = 0; s < T; ++s)
                    for (Index i = h * d; i < (h + 1) * d; ++i) merged(b, t, i) += row[s] / total * v(b, s, i);
            }
    return project_output(merged, w_o, {});
}

}  // namespace headway::ex04
