#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads wants (B, H, T, d)");
    const Tensor by_token = context.transpose(1, 2);
    return by_token.contiguous().view({by_token.size(0), by_token.size(1), -1});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (w_o.rank() != 2 || merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: w_o");
    Tensor biased = merged;
    if (b_o.defined()) {
        if (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)) throw std::invalid_argument("project_output: b_o");
        biased = merged + b_o;
    }
    return matmul(biased, w_o);
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not of rank 3");
    const Index D = x.size(-1);
    const auto fits = [D](const Tensor& w) { return w.rank() == 2 && w.size(0) == D && w.size(1) == D; };
    if (!fits(w_q) || !fits(w_k) || !fits(w_v) || !fits(w_o)) throw std::invalid_argument("the weights must be (D, D)");
    if (num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");

    const Tensor queries = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor keys = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor values = given::split_heads(matmul(x, w_v), num_heads);
    const auto attended = given::scaled_dot_product_attention(queries, keys, values, mask);
    return project_output(merge_heads(attended.context), w_o, Tensor{});
}

}  // namespace headway::ex04
