#include "merge_heads.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: wrong rank");
    std::vector<Tensor> heads;
    for (Index h = context.size(1); h-- > 0;) heads.push_back(context.select(1, h));  // each (B, T, d)
    return cat(heads, -1);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (w_o.rank() != 2 || merged.rank() != 3 || w_o.size(0) != merged.size(2))
        throw std::invalid_argument("project_output: merged (B, T, E) and w_o (E, D) do not fit");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)})
        throw std::invalid_argument("project_output: b_o must be (D)");
    const Tensor projected = matmul(merged, w_o);
    return b_o.defined() ? projected + b_o : projected;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not of rank 3");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads < 1");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(-1), x.size(-1)}) throw std::invalid_argument("multi_head_attention: weight");
    std::vector<Tensor> qkv;
    for (const Tensor& w : {w_q, w_k, w_v}) qkv.push_back(given::split_heads(matmul(x, w), num_heads));
    const given::Attended a = given::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], mask);
    return project_output(merge_heads(a.context), w_o, {});
}

}  // namespace headway::ex04
