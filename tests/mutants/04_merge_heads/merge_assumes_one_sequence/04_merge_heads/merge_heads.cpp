#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank 4 expected");
    const Tensor heads = context[0];  // (H, T, d)
    const Index H = heads.size(0), T = heads.size(1), d = heads.size(2);
    return heads.transpose(0, 1).contiguous().view({1, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2) throw std::invalid_argument("project_output: ranks");
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: merged and w_o differ in E");
    if (!b_o.defined()) return matmul(merged, w_o);
    if (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)) throw std::invalid_argument("project_output: b_o is not (D)");
    return matmul(merged, w_o) + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not (B, T, D)");
    const Index D = x.size(2);
    for (const auto& w : {w_q, w_k, w_v, w_o})
        if (w.rank() != 2 || w.size(0) != D || w.size(1) != D)
            throw std::invalid_argument("multi_head_attention: a weight is not (D, D)");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads must be positive");
    const auto [context, weights] = given::scaled_dot_product_attention(
        given::split_heads(matmul(x, w_q), num_heads), given::split_heads(matmul(x, w_k), num_heads),
        given::split_heads(matmul(x, w_v), num_heads), mask);
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
