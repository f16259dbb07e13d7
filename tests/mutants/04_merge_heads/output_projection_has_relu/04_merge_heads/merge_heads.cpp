#include "merge_heads.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex04 {
namespace {

/// A fully connected layer.
class Dense {
public:
    Dense(const Tensor& weight, const Tensor& bias) : weight_(weight), bias_(bias) {
        if (weight.rank() != 2) throw std::invalid_argument("Dense: the weight is not a matrix");
        if (bias.defined() && bias.shape() != Shape{weight.size(1)})
            throw std::invalid_argument("Dense: the bias does not fit");
    }

    Tensor linear(const Tensor& x) const {
        if (x.size(-1) != weight_.size(0)) throw std::invalid_argument("Dense: the input does not fit");
        return bias_.defined() ? matmul(x, weight_) + bias_ : matmul(x, weight_);
    }

    Tensor operator()(const Tensor& x) const {
        Tensor y = linear(x).contiguous();
        std::transform(y.data(), y.data() + y.numel(), y.data(), [](float value) { return std::max(value, 0.0F); });
        return y;
    }

private:
    Tensor weight_, bias_;
};

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: wrong shape " + to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) { return Dense(w_o, b_o)(merged); }

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    const Index D = x.size(-1);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D})
            throw std::invalid_argument("multi_head_attention: weight " + to_string(w.shape()));
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads");
    auto heads = [&](const Tensor& w) { return given::split_heads(Dense(w, {}).linear(x), num_heads); };
    const auto attended = given::scaled_dot_product_attention(heads(w_q), heads(w_k), heads(w_v), mask);
    return Dense(w_o, {}).linear(merge_heads(attended.context));
}

}  // namespace headway::ex04
