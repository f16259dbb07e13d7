#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: not (B, H, T, d)");
    const Tensor c = context.contiguous();
    const Index B = c.size(0), H = c.size(1), T = c.size(2), d = c.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    const float* from = c.data();
    float* to = merged.data();
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) *to++ = from[((b * H + h) * T + t) * d + i];
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged (B, T, E), w_o (E, D)");
    const Index D = w_o.size(1);
    Tensor out = matmul(merged, w_o).contiguous();
    if (b_o.defined()) {
        if (b_o.shape() != Shape{D}) throw std::invalid_argument("project_output: b_o (D)");
        const Index rows = merged.size(1);
        float* y = out.data();
        for (Index row = 0; row < rows; ++row)
            for (Index j = 0; j < D; ++j) y[row * D + j] += b_o(j);
    }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x (B, T, D)");
    const Shape dd(2, x.size(2));
    if (w_q.shape() != dd || w_k.shape() != dd || w_v.shape() != dd || w_o.shape() != dd)
        throw std::invalid_argument("multi_head_attention: weights (D, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    const Tensor q = matmul(x, w_q), k = matmul(x, w_k), v = matmul(x, w_v);
    const auto attended = given::scaled_dot_product_attention(
        given::split_heads(q, num_heads), given::split_heads(k, num_heads), given::split_heads(v, num_heads), mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
