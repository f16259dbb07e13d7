#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {
namespace {

/// y = x · Wᵀ, as torch.nn.Linear does it.
Tensor linear(const Tensor& x, const Tensor& weight) { return matmul(x, weight.transpose(0, 1)); }

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: bad rank");
    return context.transpose(1, 2).contiguous().view(
        {context.size(0), context.size(2), context.size(1) * context.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: bad shapes");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: bad bias");
    const Tensor mixed = matmul(merged, w_o);
    return b_o.defined() ? mixed + b_o : mixed;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: bad weight");
    const Tensor q = given::split_heads(linear(x, w_q), num_heads);
    const Tensor k = given::split_heads(linear(x, w_k), num_heads);
    const Tensor v = given::split_heads(linear(x, w_v), num_heads);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, Tensor{});
}

}  // namespace headway::ex04
