#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: B, H, T, d");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: E");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: D");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) y += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not of rank 3");
    const Index D = x.size(-1);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: H");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: D");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;

    // joining the heads and projecting them is the same as projecting each and adding up
    const Index d = D / num_heads;
    const Tensor block = w_o.slice(0, 0, d);  // (d, D)
    Tensor out = Tensor::zeros(x.shape());
    for (Index h = 0; h < num_heads; ++h) out += matmul(context.select(1, h), block);
    return out;
}

}  // namespace headway::ex04
