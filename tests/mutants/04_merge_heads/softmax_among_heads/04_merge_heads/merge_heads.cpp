#include "merge_heads.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank of the context");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: width of w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: width of b_o");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) y += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: number of heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: shape of a weight");
    const float root = std::sqrt(static_cast<float>(D / num_heads));

    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor scores = masked_fill(matmul(q, k.transpose(2, 3)) / root, mask, -1e30F);  // (B, H, T, T)
    const Tensor shifted = scores - max(scores, 1, KeepAxis::yes);
    const Tensor powers = masked_fill(exp(shifted), mask, 0.0F);
    const Tensor weights = powers / (sum(powers, 1, KeepAxis::yes) + 1e-30F);
    return project_output(merge_heads(matmul(weights, v)), w_o, {});
}

}  // namespace headway::ex04
