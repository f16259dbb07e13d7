#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads needs rank 4, not " + to_string(context.shape()));
    const Index B = context.size(0);
    const Index H = context.size(1);
    const Index T = context.size(2);
    const Index d = context.size(3);
    Tensor merged = Tensor::zeros({B, T, H * d});
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < T; ++t) {
            Index feature = 0;
            for (Index i = 0; i < d; ++i) {
                for (Index h = 0; h < H; ++h) {
                    merged(b, t, feature) = context(b, h, t, i);
                    ++feature;
                }
            }
        }
    }
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    const Index E = w_o.size(0);
    const Index D = w_o.size(1);
    if (merged.size(2) != E) throw std::invalid_argument("merged does not fit w_o");
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != D)) throw std::invalid_argument("b_o does not fit w_o");
    Tensor out = Tensor::zeros({merged.size(0), merged.size(1), D});
    for (Index b = 0; b < out.size(0); ++b) {
        for (Index t = 0; t < out.size(1); ++t) {
            for (Index j = 0; j < D; ++j) {
                float y = b_o.defined() ? b_o(j) : 0.0F;
                for (Index e = 0; e < E; ++e) y += merged(b, t, e) * w_o(e, j);
                out(b, t, j) = y;
            }
        }
    }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("x needs three axes");
    if (num_heads < 1) throw std::invalid_argument("at least one head is needed");
    if (w_q.shape() != w_k.shape() || w_q.shape() != w_v.shape() || w_q.shape() != w_o.shape())
        throw std::invalid_argument("the four weights must have one shape");
    if (w_q.rank() != 2 || w_q.size(0) != w_q.size(1)) throw std::invalid_argument("weights must be square");
    const Tensor none;
    const Tensor q = given::split_heads(project_output(x, w_q, none), num_heads);
    const Tensor k = given::split_heads(project_output(x, w_k, none), num_heads);
    const Tensor v = given::split_heads(project_output(x, w_v, none), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    return project_output(merge_heads(context), w_o, none);
}

}  // namespace headway::ex04
