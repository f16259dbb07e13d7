#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context must have four axes");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::zeros({B, T, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) merged(b, t, h * d + i) = context(b, h, t, i);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    const Index B = merged.size(0), T = merged.size(1), E = w_o.size(0), D = w_o.size(1);
    if (merged.size(2) != E) throw std::invalid_argument("project_output: w_o does not fit");
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != D))
        throw std::invalid_argument("project_output: b_o does not fit");
    Tensor out = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            for (Index e = 0; e < E; ++e)
                for (Index j = 0; j < D; ++j) out(b, t, j) += merged(b, t, e) * w_o(e, j);
            if (b_o.defined())
                for (Index j = 0; j < D; ++j) out(b, t, j) += b_o(j);
        }
    return out;
}

/// (B, T, D) -> (B, H, T, d)
static Tensor deal_out(const Tensor& x, Index num_heads) {
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (D % num_heads != 0) throw std::invalid_argument("features cannot be dealt out evenly");
    Tensor heads = Tensor::zeros({B, num_heads, T, D / num_heads});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index f = 0; f < D; ++f) heads(b, f % num_heads, t, f / num_heads) = x(b, t, f);
    return heads;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads must be at least 1");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: a weight");
    const Tensor none;
    const Tensor q = deal_out(project_output(x, w_q, none), num_heads);
    const Tensor k = deal_out(project_output(x, w_k, none), num_heads);
    const Tensor v = deal_out(project_output(x, w_v, none), num_heads);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, none);
}

}  // namespace headway::ex04
