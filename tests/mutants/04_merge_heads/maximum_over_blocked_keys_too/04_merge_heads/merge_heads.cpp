#include "merge_heads.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank");
    return context.transpose(1, 2).contiguous().view({context.size(0), context.size(2), -1});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: E");
    Tensor y = matmul(merged, w_o);
    if (!b_o.defined()) return y;
    if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    return y + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x");
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: w");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(float(D / num_heads));
    // stable softmax: numerators, blocked ones out, and then the denominator
    Tensor e = exp(scores - max(scores, -1, KeepAxis::yes));
    e = masked_fill(e, mask, 0.0f);
    if (e.shape() != scores.shape()) throw std::invalid_argument("multi_head_attention: mask");
    Tensor z = sum(e, -1, KeepAxis::yes);
    for (Index i = 0; i < z.numel(); ++i)
        if (z.data()[i] == 0.0f) z.data()[i] = 1.0f;
    return project_output(merge_heads(matmul(e / z, v)), w_o, {});
}

}  // namespace headway::ex04
