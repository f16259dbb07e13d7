#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank of context is not 4");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: E of merged is not E of w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)})
        throw std::invalid_argument("project_output: b_o is not (D)");
    const Tensor y = matmul(merged, w_o);
    return b_o.defined() ? y + b_o : y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not of rank 3");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads is not positive");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: a weight is not (D, D)");
    const Index head_dim = D / num_heads;

    // loop over heads, each with its own columns of the weights
    Tensor merged = Tensor::zeros({B, T, D});
    for (Index h = 0; h < num_heads; ++h) {
        const Index from = h * head_dim, to = from + head_dim;
        const Tensor q = matmul(x, w_q.slice(1, from, to)).view({B, 1, T, head_dim});
        const Tensor k = matmul(x, w_k.slice(1, from, to)).view({B, 1, T, head_dim});
        const Tensor v = matmul(x, w_v.slice(1, from, to)).view({B, 1, T, head_dim});
        Mask of_head;
        if (mask.defined()) {
            const Mask full = mask.expand({B, num_heads, T, T});
            of_head = full.as_strided({B, 1, T, T}, full.strides(), full.layout().offset + h * full.strides()[1]);
        }
        const Tensor context = given::scaled_dot_product_attention(q, k, v, of_head).context;
        merged.slice(2, from, to).copy_from(context.select(1, 0));
    }
    return project_output(merged, w_o, {});
}

}  // namespace headway::ex04
