#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

namespace {

Tensor linear(const Tensor& x, const Tensor& w) {
    if (x.rank() != 3 || w.rank() != 2 || x.size(2) != w.size(0))
        throw std::invalid_argument("linear: " + to_string(x.shape()) + " does not fit " + to_string(w.shape()));
    const Tensor rows = x.contiguous().view({x.size(0) * x.size(1), x.size(2)});
    return matmul(rows, w).view({x.size(0), x.size(1), w.size(1)});
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads needs (B, H, T, d)");
    const Tensor by_token = context.transpose(1, 2);  // (B, T, H, d)
    return by_token.contiguous().view({by_token.size(0), by_token.size(1), by_token.size(2) * by_token.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    Tensor y = linear(merged, w_o);
    if (!b_o.defined()) return y;
    if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o must have D numbers");
    y += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("multi_head_attention: num_heads must divide D");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)})
            throw std::invalid_argument("multi_head_attention: weights must be (D, D)");
    const Tensor q = given::split_heads(linear(x, w_q), num_heads);
    const Tensor k = given::split_heads(linear(x, w_k), num_heads);
    const Tensor v = given::split_heads(linear(x, w_v), num_heads);
    const auto attended = given::scaled_dot_product_attention(q, k, v, mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
