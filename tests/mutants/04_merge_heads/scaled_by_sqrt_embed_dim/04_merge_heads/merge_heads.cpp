#include "merge_heads.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex04 {
namespace {

Tensor softmax(const Tensor& scores, const Mask& mask) {
    const Tensor x = masked_fill(scores, mask, -1e30F);
    const Tensor e = masked_fill(exp(x - max(x, -1, KeepAxis::yes)), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
}

class MultiHead {
public:
    MultiHead(Index embed_dim, Index num_heads) : embed_dim_(embed_dim), num_heads_(num_heads) {
        if (num_heads < 1 || embed_dim % num_heads != 0) throw std::invalid_argument("MultiHead: num_heads");
        scale_ = 1.0F / std::sqrt(static_cast<float>(embed_dim_));
    }

    Tensor split(const Tensor& x) const { return given::split_heads(x, num_heads_); }

    Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) const {
        const Tensor scores = matmul(split(q), split(k).transpose(2, 3)) * scale_;
        return matmul(softmax(scores, mask), split(v));
    }

private:
    Index embed_dim_;
    Index num_heads_;
    float scale_ = 1.0F;
};

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (w_o.rank() != 2 || merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    const Tensor y = matmul(merged, w_o);
    return b_o.defined() ? y + b_o : y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: weights");
    const MultiHead heads(x.size(2), num_heads);
    const Tensor context = heads.attend(matmul(x, w_q), matmul(x, w_k), matmul(x, w_v), mask);
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
