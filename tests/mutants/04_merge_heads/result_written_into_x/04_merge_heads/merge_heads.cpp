#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: axes");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H, d});
    merged.copy_from(context.transpose(1, 2));
    return merged.view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: axes");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: axes of b_o");
    Tensor out = matmul(merged, w_o);
    return b_o.defined() ? out + b_o : out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not of rank 3");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)})
            throw std::invalid_argument("multi_head_attention: axes of weights");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    Tensor out = x;  // has the right shape
    out.copy_from(project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, {}));
    return out;
}

}  // namespace headway::ex04
