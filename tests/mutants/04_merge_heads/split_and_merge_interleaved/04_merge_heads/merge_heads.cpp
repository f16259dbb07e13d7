#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: got " + to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: got " + to_string(merged.shape()));
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)})
        throw std::invalid_argument("project_output: got a bias " + to_string(b_o.shape()));
    const Tensor y = matmul(merged, w_o);
    return b_o.defined() ? y + b_o : y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: got " + to_string(w.shape()));
    const Index d = D / num_heads;

    // (B, T, D) -> (B, T, d, H) -> (B, H, d, T) -> (B, H, T, d)
    auto split = [&](const Tensor& y) { return y.view({B, T, d, num_heads}).transpose(1, 3).transpose(2, 3); };
    // and back
    auto join = [&](const Tensor& y) { return y.transpose(2, 3).transpose(1, 3).contiguous().view({B, T, D}); };

    const given::Attended attended =
        given::scaled_dot_product_attention(split(matmul(x, w_q)), split(matmul(x, w_k)), split(matmul(x, w_v)), mask);
    return project_output(join(attended.context), w_o, {});
}

}  // namespace headway::ex04
