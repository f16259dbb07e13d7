#include "merge_heads.hpp"

#include <numeric>
#include <stdexcept>

namespace headway::ex04 {

namespace {

/// y = x · w for x (B, T, in), w (in, out).
Tensor linear(const Tensor& x, const Tensor& w) {
    Tensor y = Tensor::zeros({x.size(0), x.size(1), w.size(1)});
    const Tensor columns = w.transpose(0, 1).contiguous(), rows = x.contiguous();
    float* out = y.data();
    for (const float* row = rows.data(); row != rows.data() + rows.numel(); row += w.size(0))
        for (const float* column = columns.data(); column != columns.data() + columns.numel(); column += w.size(0))
            *out++ = std::inner_product(row, row + w.size(0), column, 0.0F);
    return y;
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context is not (B, H, T, d)");
    const Tensor c = context.contiguous();
    const Index B = c.size(0), H = c.size(1), T = c.size(2), d = c.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    for (Index i = 0; i < c.numel(); ++i) {
        const Index feature = i % d, t = i / d % T, h = i / d / T % H, b = i / d / T / H;
        merged.data()[((b * T + t) * H + h) * d + feature] = c.data()[i];
    }
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || w_o.size(0) != merged.size(2))
        throw std::invalid_argument("project_output: w_o does not have E rows");
    Tensor y = linear(merged, w_o);
    if (b_o.defined()) {
        if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o is not (D)");
        for (Index i = 0; i < y.numel(); ++i) y.data()[i] += b_o(i % b_o.size(0));
    }
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is not (B, T, D)");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.rank() != 2 || w.size(0) != x.size(2) || w.size(1) != x.size(2))
            throw std::invalid_argument("multi_head_attention: a weight is not (D, D)");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    const Tensor q = given::split_heads(linear(x, w_k), num_heads);
    const Tensor k = given::split_heads(linear(x, w_k), num_heads);
    const Tensor v = given::split_heads(linear(x, w_v), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
