#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank");
    Tensor merged = Tensor::empty({context.size(0), context.size(2), context.size(1) * context.size(3)});
    for (Index b = 0; b < context.size(0); ++b)
        for (Index t = 0; t < context.size(2); ++t) {
            float* token = &merged(b, t, 0);
            for (Index h = 0; h < context.size(1); ++h)
                for (Index i = 0; i < context.size(3); ++i) *token++ = context(b, h, t, i);
        }
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: sizes");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: bias");
    Tensor y = matmul(merged, w_o);
    return b_o.defined() ? y += b_o : y;
}

static void check_mask(const Mask& mask, const Shape& weights) {
    if (mask.defined()) mask.expand(weights);  // throws if it does not broadcast
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not of rank 3");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: weights");
    check_mask(mask, {B, num_heads, T, T});
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v).context), w_o, {});
}

}  // namespace headway::ex04
