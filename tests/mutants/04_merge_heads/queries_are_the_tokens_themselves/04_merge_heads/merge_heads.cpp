#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: 4 axes, please");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::zeros({B, T, H * d});
    for (Index b = 0; b < B; b++)
        for (Index t = 0; t < T; t++)
            for (Index e = 0; e < H * d; e++) merged(b, t, e) = context(b, e / d, t, e % d);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3) throw std::invalid_argument("project_output: merged");
    if (w_o.rank() != 2 || w_o.size(0) != merged.size(2)) throw std::invalid_argument("project_output: w_o");
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)))
        throw std::invalid_argument("project_output: b_o");
    Tensor out = Tensor::zeros({merged.size(0), merged.size(1), w_o.size(1)});
    for (Index b = 0; b < out.size(0); b++)
        for (Index t = 0; t < out.size(1); t++)
            for (Index j = 0; j < out.size(2); j++) {
                float y = b_o.defined() ? b_o(j) : 0.0F;
                for (Index e = 0; e < w_o.size(0); e++) y += merged(b, t, e) * w_o(e, j);
                out(b, t, j) = y;
            }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x");
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: w");
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    const Tensor k = project_output(x, w_k, {}), v = project_output(x, w_v, {});
    const Tensor context =
        given::scaled_dot_product_attention(given::split_heads(x, num_heads), given::split_heads(k, num_heads),
                                            given::split_heads(v, num_heads), mask)
            .context;
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
