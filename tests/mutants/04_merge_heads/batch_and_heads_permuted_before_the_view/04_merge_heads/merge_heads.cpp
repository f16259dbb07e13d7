#include "merge_heads.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex04 {

namespace {

/// Axes in another order, as torch.permute.
Tensor permute(const Tensor& x, const std::vector<std::size_t>& order) {
    Shape shape;
    Strides strides;
    for (const std::size_t axis : order) {
        shape.push_back(x.shape()[axis]);
        strides.push_back(x.strides()[axis]);
    }
    return x.as_strided(shape, strides);
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank 4");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    const Tensor tokens = permute(context, {1, 2, 0, 3});
    return tokens.contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: rank or E");
    if (!b_o.defined()) return matmul(merged, w_o);
    if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: D");
    // The bias is one more row of w_o, for a feature that is always 1.
    const Tensor one = Tensor::ones({merged.size(0), merged.size(1), 1});
    return matmul(cat({merged, one}, 2), cat({w_o, b_o.as_strided({1, b_o.size(0)}, {0, b_o.strides()[0]})}, 0));
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank 3");
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: D");
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: H");
    const Tensor qkv = matmul(x, cat({w_q, w_k, w_v}, 1));
    const auto part = [&](Index i) {
        return given::split_heads(qkv.slice(2, i * D, (i + 1) * D).contiguous(), num_heads);
    };
    const Tensor context = given::scaled_dot_product_attention(part(0), part(1), part(2), mask).context;
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
