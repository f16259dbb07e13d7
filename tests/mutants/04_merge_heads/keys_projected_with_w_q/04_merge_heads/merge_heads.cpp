#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: (B, H, T, d) expected");
    const Tensor tokens = context.transpose(1, 2).contiguous();  // (B, T, H, d)
    return tokens.view({tokens.size(0), tokens.size(1), tokens.size(2) * tokens.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: E");
    Tensor out = matmul(merged, w_o);
    if (b_o.defined()) {
        if (b_o.rank() != 1 || b_o.size(0) != out.size(2)) throw std::invalid_argument("project_output: D");
        for (Index b = 0; b < out.size(0); ++b)
            for (Index t = 0; t < out.size(1); ++t) out[b][t] += b_o;
    }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    if (w_q.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: w_q");
    if (w_k.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: w_k");
    if (w_v.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: w_v");
    if (w_o.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: w_o");

    Tensor q = matmul(x, w_q);
    q = given::split_heads(q, num_heads);
    Tensor k = matmul(x, w_q);
    k = given::split_heads(k, num_heads);
    Tensor v = matmul(x, w_v);
    v = given::split_heads(v, num_heads);

    const given::Attended attended = given::scaled_dot_product_attention(q, k, v, mask);
    return project_output(merge_heads(attended.context), w_o, Tensor{});
}

}  // namespace headway::ex04
