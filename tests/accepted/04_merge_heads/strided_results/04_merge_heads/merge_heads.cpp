#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank 4");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    // time first, as recurrent networks like it, with one unused line in front
    Tensor buffer = Tensor::full({T + 1, B, H * d}, 777.0F);
    Tensor merged = buffer.slice(0, 1, T + 1).transpose(0, 1);
    for (Index h = 0; h < H; ++h) merged.slice(2, h * d, h * d + d).copy_from(context.select(1, h));
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged and w_o do not fit");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    // (w_oᵀ · mergedᵀ)ᵀ
    Tensor columns = matmul(w_o.transpose(0, 1), merged.transpose(1, 2));  // (B, D, T)
    Tensor y = columns.transpose(1, 2);
    if (b_o.defined()) y += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank 3");
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: (D, D)");
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    const auto heads = [&](const Tensor& w) {
        return given::split_heads(project_output(x, w, {}).contiguous(), num_heads);
    };
    const given::Attended attended = given::scaled_dot_product_attention(heads(w_q), heads(w_k), heads(w_v), mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
