#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    // merged seen as (B, T, H, d), then as (B, H, T, d), is what we have
    merged.view({B, T, H, d}).transpose(1, 2).copy_from(context);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged, w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");

    Tensor out = Tensor::zeros({merged.size(0), merged.size(1), w_o.size(1)});
    if (b_o.defined()) out += b_o;
    for (Index e = 0; e < w_o.size(0); ++e) out += merged.slice(2, e, e + 1) * w_o[e];
    if (b_o.defined()) out += b_o;
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    const Index D = x.size(2);
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->rank() != 2 || w->size(0) != D || w->size(1) != D)
            throw std::invalid_argument("multi_head_attention: w");
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads), k = given::split_heads(matmul(x, w_k), num_heads),
                 v = given::split_heads(matmul(x, w_v), num_heads);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, {});
}

}  // namespace headway::ex04
