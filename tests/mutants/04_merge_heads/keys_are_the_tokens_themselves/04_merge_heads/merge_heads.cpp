#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {
namespace {

class Heads {
public:
    Heads(const Tensor& x, Index count) : x_(x), count_(count) {
        if (x.rank() != 3) throw std::invalid_argument("Heads: x has shape " + to_string(x.shape()));
        if (count < 1 || x.size(2) % count != 0) throw std::invalid_argument("Heads: cannot make that many");
    }
    /// (B, H, T, d) of x itself
    Tensor plain() const { return given::split_heads(x_, count_); }
    /// (B, H, T, d) of x · w
    Tensor through(const Tensor& w) const { return given::split_heads(matmul(x_, w), count_); }

private:
    Tensor x_;
    Index count_;
};

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: " + to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    Tensor merged = Tensor::empty({B, T, H, d});
    merged.copy_from(context.transpose(1, 2));
    return merged.view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.size(-1) != w_o.size(0)) throw std::invalid_argument("project_output: widths");
    const Tensor bias = b_o.defined() ? b_o : Tensor::zeros({w_o.size(1)});
    if (bias.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: bias");
    return matmul(merged, w_o) + bias;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    const Heads heads(x, num_heads);
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: weight");
    const given::Attended attended =
        given::scaled_dot_product_attention(heads.through(w_q), heads.plain(), heads.through(w_v), mask);
    return project_output(merge_heads(attended.context), w_o, {});
}

}  // namespace headway::ex04
