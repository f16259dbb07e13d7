#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank of context");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: E differs");
    Tensor output = merged.clone();
    Tensor projected = matmul(output, w_o);
    if (b_o.defined()) {
        if (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)) throw std::invalid_argument("project_output: b_o");
        projected += b_o;
    }
    return output;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o}) {
        if (w.rank() != 2) throw std::invalid_argument("multi_head_attention: a weight is a matrix");
        if (w.size(0) != D || w.size(1) != D) throw std::invalid_argument("multi_head_attention: a weight is D x D");
    }
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: too few heads");
    Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    given::Attended attended = given::scaled_dot_product_attention(q, k, v, mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
