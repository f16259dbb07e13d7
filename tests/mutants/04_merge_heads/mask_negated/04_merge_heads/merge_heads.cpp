#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank 4, please");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: equal E, please");
    const Tensor product = matmul(merged, w_o);
    if (!b_o.defined()) return product;
    if (b_o.rank() != 1 || b_o.size(0) != product.size(-1)) throw std::invalid_argument("project_output: D, please");
    return product + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    const Index D = x.size(-1);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("num_heads must divide D");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("all weights must be (D, D)");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    // attention blocks where its mask is true, ours says where one may look
    const Mask blocked = mask.defined() ? !mask : mask;
    const given::Attended attended = given::scaled_dot_product_attention(q, k, v, blocked);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
