#include "backward.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace headway::ex07 {
namespace {

using Numbers = std::vector<float>;

Numbers numbers(const Tensor& x) {
    const Tensor dense = x.contiguous();
    return Numbers(dense.data(), dense.data() + dense.numel());
}

bool fits(const Tensor& x, const Shape& shape) {
    return x.defined() && std::equal(x.shape().begin(), x.shape().end(), shape.begin(), shape.end());
}

template <class... Conditions>
void all_of(Conditions... conditions) {
    if (!(conditions && ...)) throw std::invalid_argument("a shape does not fit");
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    all_of(weights.rank() == 4, fits(grad_weights, weights.shape()));
    // The Jacobian of softmax, written out: diag(w) - w·wᵀ, for each row.
    const Index S = weights.size(3), rows = weights.numel() / S;
    const Tensor w = weights.contiguous().view({rows, 1, S});
    const Tensor g = grad_weights.contiguous().view({rows, S, 1});
    const Tensor jacobian = w * Tensor::eye(S).expand({rows, S, S}) + matmul(w.transpose(1, 2), w);
    return matmul(jacobian, g).view(weights.shape());
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    all_of(q.rank() == 4, k.rank() == 4, v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), d_v = v.size(3);
    all_of(fits(k, {B, H, S, d}), fits(v, {B, H, S, d_v}), fits(grad_context, {B, H, T, d_v}));
    if (mask.defined()) mask.expand({B, H, T, S});
    const Tensor w = given::scaled_dot_product_attention(q, k, v, mask).weights;
    // Scaled queries, as if forward were softmax((q / √d)·kᵀ): then only q's own gradient needs the factor again.
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    const Tensor scaled_q = q * scale;
    const Tensor gs = softmax_backward(w, matmul(grad_context, v.transpose(2, 3)));
    AttentionGradients result;
    result.v = matmul(w.transpose(2, 3), grad_context);
    result.k = matmul(gs.transpose(2, 3), scaled_q);
    result.q = matmul(gs, k);
    result.q *= scale;
    return result;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    all_of(x.rank() == 3, weight.rank() == 2);
    const Index in = x.size(2), out = weight.size(0);
    all_of(weight.size(1) == in, fits(grad_y, {x.size(0), x.size(1), out}), fits(grad_weight, {out, in}),
           fits(grad_bias, {out}));
    const Numbers xs = numbers(x), ys = numbers(grad_y), ws = numbers(weight);
    Numbers gx(xs.size(), 0.0F), gw(ws.size(), 0.0F), gb(static_cast<std::size_t>(out), 0.0F);
    const auto axpy = [in](float a, auto from, auto to) {
        std::transform(from, from + in, to, to, [a](float f, float t) { return t + a * f; });
    };
    auto y = ys.begin();
    auto row = xs.begin();
    for (auto to = gx.begin(); to != gx.end(); to += in, row += in, y += out) {
        std::transform(gb.begin(), gb.end(), y, gb.begin(), std::plus<>{});
        for (Index o = 0; o < out; ++o) {
            axpy(y[o], ws.begin() + o * in, to);
            axpy(y[o], row, gw.begin() + o * in);
        }
    }
    grad_weight += Tensor::of({out, in}, gw) / static_cast<float>(x.size(0) * x.size(1));
    grad_bias += Tensor::of({out}, gb);
    return Tensor::of(x.shape(), gx);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    all_of(x.rank() == 3, num_heads >= 1);
    const Index D = x.size(2);
    all_of(D % num_heads == 0, fits(grad_y, x.shape()));
    const auto check = [D](const Parameters& p) {
        all_of(fits(p.q_weight, {D, D}), fits(p.k_weight, {D, D}), fits(p.v_weight, {D, D}), fits(p.out_weight, {D, D}),
               fits(p.q_bias, {D}), fits(p.k_bias, {D}), fits(p.v_bias, {D}), fits(p.out_bias, {D}));
    };
    check(parameters);
    check(grads);
    if (mask.defined()) mask.expand({x.size(0), num_heads, x.size(1), x.size(1)});
    using Field = Tensor Parameters::*;
    const auto split = [num_heads](const Tensor& t) { return given::split_heads(t, num_heads); };
    const auto go = [&](Field w, Field b) { return split(matmul(x, (parameters.*w).transpose(0, 1)) + parameters.*b); };
    const auto back = [&](const Tensor& input, Field w, Field b, const Tensor& g) {
        return linear_backward(input, parameters.*w, g, grads.*w, grads.*b);
    };
    using P = Parameters;
    const Tensor q = go(&P::q_weight, &P::q_bias), k = go(&P::k_weight, &P::k_bias), v = go(&P::v_weight, &P::v_bias);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(q, k, v, mask));
    const auto g = attention_backward(q, k, v, mask, split(back(merged, &P::out_weight, &P::out_bias, grad_y)));
    return back(x, &P::q_weight, &P::q_bias, given::merge_heads(g.q)) +
           back(x, &P::k_weight, &P::k_bias, given::merge_heads(g.k)) +
           back(x, &P::v_weight, &P::v_bias, given::merge_heads(g.v));
}

}  // namespace headway::ex07
