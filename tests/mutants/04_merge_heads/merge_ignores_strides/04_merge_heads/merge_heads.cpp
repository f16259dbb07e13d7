#include "merge_heads.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: four axes are needed");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    const float* in = context.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t, in += d) std::copy(in, in + d, merged.data() + (b * T + t) * H * d + h * d);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: inner sizes differ");
    Tensor result = matmul(merged, w_o);
    if (b_o.defined()) {
        if (b_o.shape() != Shape{result.size(-1)}) throw std::invalid_argument("project_output: wrong bias");
        float* out = result.data();
        const Index D = b_o.size(0);
        for (Index i = 0; i < result.numel(); ++i) out[i] += b_o(i % D);
    }
    return result;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be (B, T, D)");
    const Index D = x.size(-1);
    const Shape shape = {D, D};
    if (w_q.shape() != shape || w_k.shape() != shape || w_v.shape() != shape || w_o.shape() != shape)
        throw std::invalid_argument("multi_head_attention: wrong weight");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: no heads");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context.contiguous()), w_o,
                          {});
}

}  // namespace headway::ex04
