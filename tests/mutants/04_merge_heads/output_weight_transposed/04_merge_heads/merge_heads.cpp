#include "merge_heads.hpp"

#include <headway/eigen.hpp>

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context must be (B, H, T, d)");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H * d});
    for (Index b = 0; b < B; ++b) {
        EigenMap tokens = as_eigen(merged[b]);
        for (Index h = 0; h < H; ++h) tokens.middleCols(h * d, d) = as_eigen(context[b][h]);
    }
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    // y = W x + b for every token, so W is (out, in)
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(1))
        throw std::invalid_argument("project_output: merged does not fit w_o");
    const Index D = w_o.size(0);
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != D))
        throw std::invalid_argument("project_output: b_o must be (D)");
    Tensor out = Tensor::zeros({merged.size(0), merged.size(1), D});
    const EigenMap W = as_eigen(w_o);
    for (Index b = 0; b < merged.size(0); ++b) {
        EigenMap y = as_eigen(out[b]);
        y.noalias() = as_eigen(merged[b]) * W.transpose();
        if (b_o.defined())
            for (Index j = 0; j < y.cols(); ++j) y.col(j).array() += b_o(j);
    }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1) throw std::invalid_argument("multi_head_attention: x or num_heads");
    const Shape square{x.size(2), x.size(2)};
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != square)
            throw std::invalid_argument("multi_head_attention: weights must be " + to_string(square));
    auto project = [&](const Tensor& w) {
        Tensor y = Tensor::empty(x.shape());
        for (Index b = 0; b < x.size(0); ++b) as_eigen(y[b]) = as_eigen(x[b]) * as_eigen(w);
        return given::split_heads(y, num_heads);
    };
    const Tensor q = project(w_q), k = project(w_k), v = project(w_v);
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, {});
}

}  // namespace headway::ex04
