#include "merge_heads.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex04 {
namespace {

void check_bias(const Tensor& bias, Index width) {
    if (!bias.defined()) return;
    if (bias.rank() != 1 || bias.size(0) != width)
        throw std::invalid_argument("the bias must have shape (" + std::to_string(width) + ")");
}

void check_square(const Tensor& w, Index D) {
    if (w.rank() != 2 || w.size(0) != D || w.size(1) != D)
        throw std::invalid_argument("a weight has shape " + to_string(w.shape()));
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("four axes: batch, head, token, feature");
    const Index H = context.size(1), d = context.size(3);
    Tensor merged = Tensor::zeros({context.size(0), context.size(2), H * d});
    for (Index b = 0; b < merged.size(0); ++b)
        for (Index t = 0; t < merged.size(1); ++t)
            for (Index f = 0; f < merged.size(2); ++f) merged(b, t, f) = context(b, f / d, t, f % d);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("merged and w_o do not fit");
    check_bias(b_o, w_o.size(1));
    return matmul(merged, w_o);
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    if (num_heads < 1) throw std::invalid_argument("num_heads < 1");
    for (const Tensor& w : std::vector<Tensor>{w_q, w_k, w_v, w_o}) check_square(w, x.size(-1));
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor merged = merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context);
    return project_output(merged, w_o, {});
}

}  // namespace headway::ex04
