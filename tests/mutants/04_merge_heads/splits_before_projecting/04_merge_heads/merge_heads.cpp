#include "merge_heads.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: no (B, H, T, d)");
    std::vector<Tensor> per_head;
    for (Index h = 0; h < context.size(1); ++h) per_head.push_back(context.select(1, h));
    return cat(per_head, 2);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(2) != w_o.size(0)) throw std::invalid_argument("project_output: merged does not fit w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    return b_o.defined() ? matmul(merged, w_o) + b_o : matmul(merged, w_o);
}

/// The part of a (D, D) weight that belongs to head h: (d, d).
static Tensor head_weight(const Tensor& w, Index h, Index d) {
    return w.slice(0, h * d, (h + 1) * d).slice(1, h * d, (h + 1) * d);
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not of rank 3");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: weights");
    const Index d = D / num_heads;
    const Tensor heads = given::split_heads(x.contiguous(), num_heads);
    Tensor q = Tensor::empty({B, num_heads, T, d}), k = Tensor::empty({B, num_heads, T, d}),
           v = Tensor::empty({B, num_heads, T, d});
    for (Index h = 0; h < num_heads; ++h) {
        const Tensor x_h = heads.select(1, h);  // (B, T, d)
        q.select(1, h).copy_from(matmul(x_h, head_weight(w_q, h, d)));
        k.select(1, h).copy_from(matmul(x_h, head_weight(w_k, h, d)));
        v.select(1, h).copy_from(matmul(x_h, head_weight(w_v, h, d)));
    }
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, {});
}

}  // namespace headway::ex04
