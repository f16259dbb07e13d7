#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

namespace {

/// c (rows, n) = a (rows, m) · b (m, n) + bias, all row-major; bias may be null
void gemm(const float* a, const float* b, const float* bias, float* c, Index rows, Index m, Index n) {
    for (Index r = 0; r < rows; ++r, a += m, c += n) {
        for (Index j = 0; j < n; ++j) c[j] = bias ? bias[j] : 0.0f;
        const float* row = b;
        for (Index p = 0; p < m; ++p, row += n)
            for (Index j = 0; j < n; ++j) c[j] += a[p] * row[j];
    }
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads wants 4 axes, got " + to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    const Strides s = context.strides();
    Tensor out = Tensor::empty({B, T, H * d});
    float* o = out.data();
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index h = 0; h < H; ++h) {
                const float* p = context.data() + b * s[0] + h * s[1] + t * s[2];
                for (Index i = 0; i < d; ++i) *o++ = p[i * s[3]];
            }
    return out;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("merged " + to_string(merged.shape()) + " x w_o " + to_string(w_o.shape()));
    const Index D = w_o.size(1);
    if (b_o.defined() && b_o.shape() != Shape{D}) throw std::invalid_argument("bias " + to_string(b_o.shape()));
    const Tensor m = merged.contiguous(), w = w_o.contiguous();
    const Tensor bias = b_o.defined() ? b_o.contiguous() : Tensor{};
    Tensor out = Tensor::empty({m.size(0), m.size(1), D});
    gemm(m.data(), w.data(), bias.defined() ? bias.data() : nullptr, out.data(), m.size(0) * m.size(1), m.size(2), D);
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x wants 3 axes");
    const Index D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("num_heads does not divide D");
    Tensor heads[3];
    const Tensor* weights[] = {&w_q, &w_k, &w_v};
    for (int i = 0; i < 3; ++i) {
        if (weights[i]->shape() != Shape{D, D}) throw std::invalid_argument("weights want (D, D)");
        heads[i] = given::split_heads(project_output(x, *weights[i], Tensor{}), num_heads);
    }
    if (w_o.shape() != Shape{D, D}) throw std::invalid_argument("w_o wants (D, D)");
    return project_output(merge_heads(given::scaled_dot_product_attention(heads[0], heads[1], heads[2], mask).context),
                          w_o, Tensor{});
}

}  // namespace headway::ex04
