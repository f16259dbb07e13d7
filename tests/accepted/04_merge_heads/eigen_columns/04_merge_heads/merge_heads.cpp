#include "merge_heads.hpp"

#include <headway/eigen.hpp>

#include <cmath>

namespace headway::ex04 {

static void fits(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

Tensor merge_heads(const Tensor& context) {
    fits(context.rank() == 4, "merge_heads: (B, H, T, d)");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    for (Index b = 0; b < B; ++b) {
        EigenMap out = as_eigen(merged[b]);
        for (Index h = 0; h < H; ++h) out.middleCols(h * d, d) = as_eigen(context[b][h]);
    }
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    fits(merged.rank() == 3, "project_output: (B, T, E)");
    fits(w_o.rank() == 2 && w_o.size(0) == merged.size(2), "project_output: w_o must be (E, D)");
    fits(!b_o.defined() || b_o.shape() == Shape{w_o.size(1)}, "project_output: b_o must be (D)");
    Tensor out = Tensor::empty({merged.size(0), merged.size(1), w_o.size(1)});
    const EigenMap W = as_eigen(w_o);
    for (Index b = 0; b < out.size(0); ++b) {
        EigenMap y = as_eigen(out[b]);
        y.noalias() = as_eigen(merged[b]) * W;
        if (b_o.defined()) y.rowwise() += as_eigen(b_o.expand({1, b_o.size(0)})).row(0);
    }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    fits(x.rank() == 3, "multi_head_attention: x must be (B, T, D)");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o}) fits(w.shape() == Shape{D, D}, "multi_head_attention: (D, D)");
    fits(num_heads >= 1 && D % num_heads == 0, "multi_head_attention: num_heads must divide D");
    const Index d = D / num_heads;
    const Mask wide = mask.defined() ? mask.expand({B, num_heads, T, T}) : Mask{};
    Tensor merged = Tensor::empty({B, T, D});
    for (Index b = 0; b < B; ++b) {
        const EigenMap X = as_eigen(x[b]);
        const EigenMatrix q = X * as_eigen(w_q), k = X * as_eigen(w_k), v = X * as_eigen(w_v);
        EigenMap out = as_eigen(merged[b]);
        for (Index h = 0; h < num_heads; ++h) {
            EigenMatrix w = q.middleCols(h * d, d) * k.middleCols(h * d, d).transpose();
            w /= std::sqrt(static_cast<float>(d));
            for (Index t = 0; t < T; ++t) {
                if (wide.defined())
                    for (Index s = 0; s < T; ++s)
                        if (wide(b, h, t, s)) w(t, s) = -INFINITY;
                const float top = w.row(t).maxCoeff();
                if (std::isinf(top)) {
                    w.row(t).setZero();
                } else {
                    w.row(t) = (w.row(t).array() - top).exp().matrix().eval();
                    w.row(t) /= w.row(t).sum();
                }
            }
            out.middleCols(h * d, d) = w * v.middleCols(h * d, d);
        }
    }
    return project_output(merged, w_o, Tensor{});
}

}  // namespace headway::ex04
