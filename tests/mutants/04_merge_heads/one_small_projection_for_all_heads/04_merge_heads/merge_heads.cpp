#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: shape");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: shape");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) {
        if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: shape of the bias");
        y += b_o;
    }
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: shape of a weight");
    const Index head_dim = D / num_heads;
    const Tensor heads = given::split_heads(x.contiguous(), num_heads);  // (B, H, T, head_dim)
    auto project = [&](const Tensor& w) {
        const Tensor w_head = w.slice(0, 0, head_dim).slice(1, 0, head_dim);
        return matmul(heads, w_head);  // the same for every head
    };
    const auto attended = given::scaled_dot_product_attention(project(w_q), project(w_k), project(w_v), mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
