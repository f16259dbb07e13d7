#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: bad rank");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::zeros({B, T, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            Index end = 0;
            for (Index h = 0; h < H; ++h) {
                end += d;
                for (Index i = 0; i < d; ++i) merged(b, t, end - 1 - i) = context(b, h, t, i);
            }
        }
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: bad shapes");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: bad bias");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined())
        for (Index j = 0; j < y.size(2); ++j) y.select(2, j) += b_o(j);
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: bad x");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: bad num_heads");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->rank() != 2 || w->size(0) != x.size(2) || w->size(1) != x.size(2))
            throw std::invalid_argument("multi_head_attention: bad weight");
    given::Attended a =
        given::scaled_dot_product_attention(given::split_heads(project_output(x, w_q, {}), num_heads),
                                            given::split_heads(project_output(x, w_k, {}), num_heads),
                                            given::split_heads(project_output(x, w_v, {}), num_heads), mask);
    return project_output(merge_heads(a.context), w_o, {});
}

}  // namespace headway::ex04
