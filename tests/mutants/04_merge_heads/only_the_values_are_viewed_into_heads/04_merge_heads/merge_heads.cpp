#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads takes (B, H, T, d)");
    const Strides& stride = context.strides();
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    float* to = merged.data();
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index h = 0; h < H; ++h) {
                const float* from = context.data() + b * stride[0] + h * stride[1] + t * stride[2];
                for (Index i = 0; i < d; ++i) *to++ = from[i * stride[3]];
            }
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output takes (B, T, E) and (E, D)");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output takes (D)");
    const Tensor y = matmul(merged, w_o);
    return b_o.defined() ? b_o + y : y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention takes (B, T, D)");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("D must be a multiple of num_heads >= 1");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("weights must be (D, D)");
    const Index d = D / num_heads;

    Tensor q = matmul(x, w_q).view({B, T, num_heads, d});
    Tensor k = matmul(x, w_k).view({B, T, num_heads, d});
    Tensor v = matmul(x, w_v).view({B, num_heads, T, d});
    q = q.transpose(1, 2);
    k = k.transpose(1, 2);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, {});
}

}  // namespace headway::ex04
