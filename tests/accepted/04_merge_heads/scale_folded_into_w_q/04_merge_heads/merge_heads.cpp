#include "merge_heads.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex04 {

namespace {

constexpr float kBlocked = -std::numeric_limits<float>::infinity();

void check(bool ok) {
    if (!ok) throw std::invalid_argument("the shapes do not fit");
}

// own overloads of library names: these are found first
Tensor exp(const Tensor& x) {
    Tensor y = ops::exp(x);
    for (Index i = 0; i < y.numel(); ++i)
        if (std::isnan(y.data()[i])) y.data()[i] = 0;  // -inf - -inf in a fully blocked row
    return y;
}

Tensor softmax(const Tensor& x) {
    const Tensor e = exp(x - max(x, -1, KeepAxis::yes));
    Tensor total = sum(e, -1, KeepAxis::yes);
    for (Index i = 0; i < total.numel(); ++i)
        if (!(total.data()[i] > 0)) total.data()[i] = 1;
    return e / total;
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    check(context.rank() == 4);
    return context.transpose(1, 2).contiguous().view({context.size(0), context.size(2), -1});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    check(merged.rank() == 3 && w_o.rank() == 2 && merged.size(2) == w_o.size(0));
    if (!b_o.defined()) return matmul(merged, w_o);
    check(b_o.rank() == 1 && b_o.size(0) == w_o.size(1));
    return b_o + matmul(merged, w_o);
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    check(x.rank() == 3 && num_heads >= 1);
    const Index D = x.size(2);
    check(D % num_heads == 0);
    for (const Tensor& w : {w_q, w_k, w_v, w_o}) check(w.shape() == Shape{D, D});
    const float scale = 1.0F / std::sqrt(static_cast<float>(D / num_heads));
    const auto heads = [&](const Tensor& w) { return given::split_heads(matmul(x, w), num_heads); };
    const Tensor scores = matmul(heads(scale * w_q), heads(w_k).transpose(2, 3));
    const Tensor bias = masked_fill(Tensor::zeros(scores.shape()), mask, kBlocked);
    const Tensor weights = softmax(scores + bias);
    return project_output(merge_heads(matmul(weights, heads(w_v))), w_o, Tensor{});
}

}  // namespace headway::ex04
