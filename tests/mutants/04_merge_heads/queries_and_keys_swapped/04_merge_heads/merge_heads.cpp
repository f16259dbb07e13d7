#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

namespace {
struct Projected {
    Tensor q, k, v;
};

Projected project_and_split(const Tensor& x, const Tensor& w_k, const Tensor& w_q, const Tensor& w_v, Index num_heads) {
    return {.q = given::split_heads(matmul(x, w_q), num_heads),
            .k = given::split_heads(matmul(x, w_k), num_heads),
            .v = given::split_heads(matmul(x, w_v), num_heads)};
}
}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: four axes");
    Tensor merged = Tensor::zeros({context.size(0), context.size(2), context.size(1) * context.size(3)});
    for (Index b = 0; b < context.size(0); ++b)
        for (Index h = 0; h < context.size(1); ++h)
            for (Index t = 0; t < context.size(2); ++t)
                for (Index i = 0; i < context.size(3); ++i) merged(b, t, h * context.size(3) + i) = context(b, h, t, i);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: E must agree");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: bias (D)");
    const Tensor y = matmul(merged, w_o);
    if (b_o.defined()) return y + b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must have rank 3");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: weight shape");
    const Projected p = project_and_split(x, w_q, w_k, w_v, num_heads);
    const auto attended = given::scaled_dot_product_attention(p.q, p.k, p.v, mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
