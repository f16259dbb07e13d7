#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4)
        throw std::invalid_argument("merge_heads: expected (B, H, T, d), got " + to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.contiguous()
        .view({H, B, T, d})  // heads were computed one after the other
        .transpose(0, 1)     // (B, H, T, d)
        .transpose(1, 2)     // (B, T, H, d)
        .contiguous()
        .view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (w_o.rank() != 2 || merged.size(-1) != w_o.size(0))
        throw std::invalid_argument("project_output: " + to_string(merged.shape()) + " x " + to_string(w_o.shape()));
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)})
        throw std::invalid_argument("project_output: bias " + to_string(b_o.shape()));
    const Tensor bias = b_o.defined() ? b_o : Tensor::zeros({w_o.size(1)});
    return matmul(merged, w_o) + bias;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    const Index D = x.size(-1);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    if (x.rank() != 3 || w_q.shape() != Shape{D, D} || w_k.shape() != Shape{D, D} || w_v.shape() != Shape{D, D} ||
        w_o.shape() != Shape{D, D})
        throw std::invalid_argument("multi_head_attention: shapes");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor merged = merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    return project_output(merged, w_o, Tensor());
}

}  // namespace headway::ex04
