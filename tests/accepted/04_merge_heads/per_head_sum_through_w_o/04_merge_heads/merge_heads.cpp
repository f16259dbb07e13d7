#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("four axes expected");
    const Index H = context.size(1), d = context.size(3);
    Tensor merged = Tensor::empty({context.size(0), context.size(2), H * d});
    for (Index h = 0; h < H; ++h) merged.slice(2, h * d, (h + 1) * d).copy_from(context.select(1, h));
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3) throw std::invalid_argument("merged: three axes expected");
    if (w_o.rank() != 2) throw std::invalid_argument("w_o: two axes expected");
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("merged and w_o differ in E");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("b_o: (D) expected");
    // rank-1 updates: one input feature after the other
    Tensor y = Tensor::zeros({merged.size(0), merged.size(1), w_o.size(1)});
    for (Index e = 0; e < w_o.size(0); ++e) y += merged.slice(2, e, e + 1) * w_o[e];
    if (b_o.defined()) y += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x: three axes expected");
    const Index D = x.size(2);
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->rank() != 2 || w->size(0) != D || w->size(1) != D) throw std::invalid_argument("(D, D) expected");
    if (num_heads < 1 || D % num_heads) throw std::invalid_argument("num_heads must divide D");
    const Index d = D / num_heads;

    const auto q = given::split_heads(matmul(x, w_q), num_heads);
    const auto k = given::split_heads(matmul(x, w_k), num_heads);
    const auto v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;

    Tensor out = Tensor::zeros(x.shape());
    for (Index h = 0; h < num_heads; ++h) out += matmul(context.select(1, h), w_o.slice(0, h * d, (h + 1) * d));
    return out;
}

}  // namespace headway::ex04
