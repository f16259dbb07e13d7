#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank 4 is needed");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: merged and w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    Tensor y = matmul(merged, w_o);
    return b_o.defined() ? y + b_o : y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0)
        throw std::invalid_argument("D = " + std::to_string(D) + " is not divisible by " + std::to_string(num_heads));
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("a weight has shape " + to_string(w->shape()));

    // (B, T, D) -> (B, 1, T, D), as scaled_dot_product_attention wants four axes
    const Tensor q = matmul(x, w_q).view({B, 1, T, D});
    const Tensor k = matmul(x, w_k).view({B, 1, T, D});
    const Tensor v = matmul(x, w_v).view({B, 1, T, D});
    // a mask may come with one plane for each head: the first is taken
    Mask plane = mask;
    if (mask.rank() >= 3) {
        const Mask full = mask.expand({B, num_heads, T, T});
        plane = full.as_strided({B, 1, T, T}, full.strides(), full.layout().offset);
    }
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, plane).context), w_o, {});
}

}  // namespace headway::ex04
