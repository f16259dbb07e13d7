#include "merge_heads.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex04 {

namespace {

/// The d features of one head of x (B, T, D), as (B, 1, T, d).
Tensor features_of(const Tensor& x, Index head, Index num_heads) {
    const Index d = x.size(2) / num_heads;
    const Tensor part = x.slice(2, 0, d);
    (void)head;
    return part.as_strided({part.size(0), 1, part.size(1), d}, {part.strides()[0], 0, part.strides()[1], 1});
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4)
        throw std::invalid_argument("merge_heads: context has rank " + std::to_string(context.rank()));
    std::vector<Tensor> heads;
    for (Index h = 0; h < context.size(1); ++h) heads.push_back(context.slice(1, h, h + 1));
    const Tensor row = cat(heads, 3);  // (B, 1, T, H·d)
    return row.select(1, 0);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: E of merged and w_o");
    Tensor y = matmul(merged, w_o);
    if (!b_o.defined()) return y;
    if (b_o.rank() != 1 || b_o.size(0) != y.size(2)) throw std::invalid_argument("project_output: D of w_o and b_o");
    for (Index b = 0; b < y.size(0); ++b)
        for (Index t = 0; t < y.size(1); ++t) y[b][t] += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads) throw std::invalid_argument("x does not split");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("weight does not fit x");
    std::vector<Tensor> q, k, v;
    for (Index h = 0; h < num_heads; ++h) {
        q.push_back(features_of(matmul(x, w_q), h, num_heads));
        k.push_back(features_of(matmul(x, w_k), h, num_heads));
        v.push_back(features_of(matmul(x, w_v), h, num_heads));
    }
    const auto attended = given::scaled_dot_product_attention(cat(q, 1), cat(k, 1), cat(v, 1), mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
