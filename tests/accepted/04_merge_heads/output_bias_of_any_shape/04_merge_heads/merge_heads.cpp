#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context is not of rank 4");
    std::vector<Tensor> tokens;
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    for (Index t = 0; t < T; ++t) {
        const Tensor token = context.select(2, t).contiguous();  // (B, H, d)
        tokens.push_back(token.view({B, 1, H * d}));
    }
    return cat(tokens, 1);
}

// merged . w_o + b_o; matmul and + complain if a shape is wrong
Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    const Tensor product = matmul(merged, w_o);
    if (!b_o.defined()) return product;
    return product + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Index D = x.size(-1);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: every weight must be (D, D)");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads must be positive");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    return project_output(merge_heads(context), w_o, Tensor{});
}

}  // namespace headway::ex04
