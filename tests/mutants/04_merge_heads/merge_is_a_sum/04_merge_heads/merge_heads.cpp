#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::zeros({B, T, d});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < d; ++i) merged(b, t, i) += context(b, h, t, i);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2) throw std::invalid_argument("project_output: ranks");
    const Index B = merged.size(0), T = merged.size(1), E = merged.size(2), D = w_o.size(1);
    if (w_o.size(0) != E) throw std::invalid_argument("project_output: w_o needs one row a feature");
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != D)) throw std::invalid_argument("project_output: b_o");
    Tensor out = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index j = 0; j < D; ++j) {
                float sum = b_o.defined() ? b_o(j) : 0.0F;
                for (Index i = 0; i < E; ++i) sum += merged(b, t, i) * w_o(i, j);
                out(b, t, j) = sum;
            }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: no heads");
    const Index D = x.size(2);
    if (D % num_heads != 0) throw std::invalid_argument("multi_head_attention: heads of different widths");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->rank() != 2 || w->size(0) != D || w->size(1) != D)
            throw std::invalid_argument("multi_head_attention: a weight is not (D, D)");
    auto heads = [&](const Tensor& w) { return given::split_heads(matmul(x, w), num_heads); };
    const Tensor context = given::scaled_dot_product_attention(heads(w_q), heads(w_k), heads(w_v), mask).context;
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
