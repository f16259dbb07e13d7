#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: needs (B, H, T, d)");
    const Index features = context.size(1) * context.size(3);
    return context.transpose(1, 2).contiguous().view({context.size(0), context.size(2), features});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: needs (B, T, E) and (E, D)");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: needs (D)");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) y += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1) throw std::invalid_argument("multi_head_attention: needs (B, T, D) and heads");
    const Index T = x.size(1), D = x.size(2);
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: needs (D, D) weights");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Mask no_future = given::causal_mask(T, T);
    const auto attended = given::scaled_dot_product_attention(q, k, v, mask | no_future);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
