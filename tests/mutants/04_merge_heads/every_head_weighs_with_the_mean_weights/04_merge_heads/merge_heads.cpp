#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: (B, H, T, d) expected");
    std::vector<Tensor> side_by_side;
    for (Index h = 0; h < context.size(1); ++h) side_by_side.push_back(context.select(1, h));  // (B, T, d)
    return cat(side_by_side, 2);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2) throw std::invalid_argument("project_output: rank");
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: E");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    Tensor out = matmul(merged, w_o);
    if (b_o.defined()) out += b_o;
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x");
    const Shape square = {x.size(2), x.size(2)};
    if (w_q.shape() != square || w_k.shape() != square || w_v.shape() != square || w_o.shape() != square)
        throw std::invalid_argument("multi_head_attention: weights");
    if (num_heads <= 0 || x.size(2) % num_heads) throw std::invalid_argument("multi_head_attention: num_heads");

    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const auto attended = given::scaled_dot_product_attention(q, k, v, mask);
    const Tensor attention = mean(attended.weights, 1, KeepAxis::yes);  // as torch's average_attn_weights
    return project_output(merge_heads(matmul(attention, v)), w_o, Tensor{});
}

}  // namespace headway::ex04
