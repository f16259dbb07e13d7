#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4)
        throw std::invalid_argument("merge_heads: context has shape " + to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    const Tensor combined = mean(context, 1);  // what the heads say together: (B, T, d)
    // w_o wants H * d features
    Tensor wide = Tensor::empty({B, T, H * d});
    for (Index h = 0; h < H; ++h) wide.slice(2, h * d, (h + 1) * d).copy_from(combined);
    return wide;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: widths differ");
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)))
        throw std::invalid_argument("project_output: bias has shape " + to_string(b_o.shape()));
    Tensor out = matmul(merged, w_o);
    if (b_o.defined()) out += b_o;
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    const Index D = x.size(-1);
    if (num_heads < 1 || D % num_heads) throw std::invalid_argument("multi_head_attention: heads do not divide D");
    const Shape expected{D, D};
    if (w_q.shape() != expected || w_k.shape() != expected || w_v.shape() != expected || w_o.shape() != expected)
        throw std::invalid_argument("multi_head_attention: weights of shape " + to_string(expected) + " are needed");

    Tensor q = matmul(x, w_q);
    Tensor k = matmul(x, w_k);
    Tensor v = matmul(x, w_v);
    q = given::split_heads(q, num_heads);
    k = given::split_heads(k, num_heads);
    v = given::split_heads(v, num_heads);
    Tensor y = given::scaled_dot_product_attention(q, k, v, mask).context;
    y = merge_heads(y);
    y = project_output(y, w_o, Tensor{});
    return y;
}

}  // namespace headway::ex04
