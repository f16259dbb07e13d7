#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: expected 4 dimensions");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) merged[b][t].slice(0, h * d, (h + 1) * d).copy_from(context[b][h][t]);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2) throw std::invalid_argument("project_output: dimensions");
    const Index E = merged.size(2), D = w_o.size(1);
    if (w_o.size(0) != E) throw std::invalid_argument("project_output: expected w_o (E, D)");
    if (b_o.defined() && b_o.shape() != Shape{D}) throw std::invalid_argument("project_output: expected b_o (D)");
    const Tensor out = matmul(merged.contiguous().view({-1, E}), w_o).view({merged.size(0), merged.size(1), D});
    return b_o.defined() ? out + b_o : out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: expected x (B, T, D)");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: D % num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: expected (D, D)");
    const Shape per_head = {B, T, num_heads, D / num_heads};
    const Tensor q = matmul(x, w_q).view(per_head);
    const Tensor k = matmul(x, w_k).view(per_head);
    const Tensor v = matmul(x, w_v).view(per_head);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    return project_output(context.contiguous().view({B, T, D}), w_o, {});
}

}  // namespace headway::ex04
