#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: wrong number of axes");
    const Tensor c = context.transpose(1, 2).contiguous();
    return c.view({c.size(0), c.size(1), c.size(2) * c.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: wrong width");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: wrong bias");
    return b_o.defined() ? matmul(merged, w_o) + b_o : matmul(merged, w_o);
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: wrong num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: wrong weight");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor merged = merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    Tensor out = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b) {
        const Tensor sequence = merged.slice(0, 0, 1);
        out.slice(0, b, b + 1).copy_from(project_output(sequence, w_o, {}));
    }
    return out;
}

}  // namespace headway::ex04
