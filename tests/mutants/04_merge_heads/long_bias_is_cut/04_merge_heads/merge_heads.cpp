#include "merge_heads.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) merged(b, t, h * d + i) = context(b, h, t, i);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2) throw std::invalid_argument("project_output: ranks");
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: w_o needs one row a feature");
    Tensor out = matmul(merged, w_o);
    if (b_o.defined()) {
        const Index count = std::min(out.size(2), b_o.numel());
        for (Index b = 0; b < out.size(0); ++b)
            for (Index t = 0; t < out.size(1); ++t)
                for (Index j = 0; j < count; ++j) out(b, t, j) += b_o(j);
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
