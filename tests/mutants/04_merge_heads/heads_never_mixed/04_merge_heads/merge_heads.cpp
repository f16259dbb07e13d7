#include "merge_heads.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context of rank 4");
    std::vector<Tensor> heads;
    for (Index h = 0; h < context.size(1); ++h) heads.push_back(context.select(1, h));
    return cat(heads, -1);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged and w_o of one width");
    const Tensor y = matmul(merged, w_o);
    if (!b_o.defined()) return y;
    if (b_o.shape() != Shape{y.size(2)}) throw std::invalid_argument("project_output: b_o of shape (D)");
    return y + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads | D");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: weights of shape (D, D)");
    const Index d = D / num_heads;
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    Tensor projected = Tensor::empty(context.shape());
    for (Index h = 0; h < num_heads; ++h) {
        const Tensor w_h = w_o.slice(0, h * d, (h + 1) * d).slice(1, h * d, (h + 1) * d);
        projected.select(1, h).copy_from(matmul(context.select(1, h), w_h));
    }
    return merge_heads(projected);
}

}  // namespace headway::ex04
