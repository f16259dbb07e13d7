#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: (B, H, T, d) is needed");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged " + to_string(merged.shape()) + ", w_o " +
                                    to_string(w_o.shape()));
    const Tensor out = matmul(merged, w_o);
    if (!b_o.defined()) return out;
    if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    return out + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Index D = x.size(2);
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: weights must be (D, D)");
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");

    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const given::Attended attended = given::scaled_dot_product_attention(q, k, v, mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
