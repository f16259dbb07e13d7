#include "merge_heads.hpp"

#include <headway/eigen.hpp>

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: (B, H, T, d)!");
    const Index H = context.size(1), d = context.size(3);
    Tensor merged = Tensor::empty({context.size(0), context.size(2), H * d});
    for (Index b = 0; b < context.size(0); ++b)
        for (Index h = 0; h < H; ++h) as_eigen(merged[b]).block(0, h * d, merged.size(1), d) = as_eigen(context[b][h]);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: (B, T, E) and (E, D)!");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: (D)!");
    Tensor out = Tensor::zeros({merged.size(0), merged.size(1), w_o.size(1)});
    for (Index b = 0; b < out.size(0); ++b) {
        EigenMap y = as_eigen(out[b]);
        y.noalias() += as_eigen(merged[b]) * as_eigen(w_o);
        if (b_o.defined()) y.rowwise() += as_eigen(b_o.contiguous().view({1, b_o.size(0)})).row(0);
    }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("multi_head_attention: x or num_heads!");
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: (D, D)!");
    const Shape split = {x.size(0), num_heads, x.size(1), D / num_heads};
    auto heads = [&](const Tensor& w) { return project_output(x, w, {}).view(split); };
    const Tensor context = given::scaled_dot_product_attention(heads(w_q), heads(w_k), heads(w_v), mask).context;
    return project_output(context.contiguous().view(x.shape()), w_o, {});
}

}  // namespace headway::ex04
