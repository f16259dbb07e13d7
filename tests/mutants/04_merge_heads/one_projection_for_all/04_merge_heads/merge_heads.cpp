#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads");
    return context.transpose(1, 2).contiguous().view({context.size(0), context.size(2), -1});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output");
    if (!b_o.defined()) return matmul(merged, w_o);
    if (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)) throw std::invalid_argument("project_output");
    return b_o + matmul(merged, w_o);
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Index D = x.size(-1);
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention");

    const Tensor qkv = matmul(x, cat({w_q, w_k, w_v}, 1));  // (B, T, 3 D) in one go
    auto part = [&](Index begin) { return given::split_heads(qkv.slice(2, begin, begin + D).contiguous(), num_heads); };
    const Tensor q = part(0), k = part(0), v = part(0);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, Tensor{});
}

}  // namespace headway::ex04
