#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4)
        throw std::invalid_argument("merge_heads: context has rank " + std::to_string(context.rank()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: E of merged and w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) y = y + b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x needs three axes");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), H = num_heads;
    if (H < 1 || D % H != 0) throw std::invalid_argument("multi_head_attention: D must be divisible by num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: weights must be (D, D)");
    const Tensor q = matmul(x, w_q).view({B, H, T, D / H});
    const Tensor k = matmul(x, w_k).view({B, H, T, D / H});
    const Tensor v = matmul(x, w_v).view({B, H, T, D / H});
    const Tensor y = given::scaled_dot_product_attention(q, k, v, mask).context;
    return project_output(merge_heads(y), w_o, {});
}

}  // namespace headway::ex04
