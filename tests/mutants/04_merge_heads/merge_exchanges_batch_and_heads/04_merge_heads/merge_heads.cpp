#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: no (B, H, T, d): " + to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(0, 1).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || w_o.size(0) != merged.size(2))
        throw std::invalid_argument("project_output: no (E, D): " + to_string(w_o.shape()));
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) {
        if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: no (D)");
        y += b_o.expand(y.shape());
    }
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: no (B, T, D): " + to_string(x.shape()));
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: no heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: no (D, D)");
    const auto heads = [&](const Tensor& w) { return given::split_heads(matmul(x, w), num_heads); };
    const auto [context, weights] = given::scaled_dot_product_attention(heads(w_q), heads(w_k), heads(w_v), mask);
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
