#include "backward.hpp"
#include <cmath>
#include <stdexcept>
namespace headway::ex07 {
static void eq(const Tensor& a, const Shape& s) {
    if (a.shape() != s) throw std::invalid_argument(to_string(s));
}
static void r(const Tensor& a, Index n) {
    if (a.rank() != n) throw std::invalid_argument("rank");
}
static auto tr(const Tensor& a) { return a.transpose(-1, -2); }
Tensor softmax_backward(const Tensor& w, const Tensor& g) {
    r(w, 4), eq(g, w.shape());
    return w * (g - sum(w * g, 3, KeepAxis::yes));
}
AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& m,
                                      const Tensor& g) {
    r(q, 4), r(k, 4), r(v, 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), e = v.size(3);
    eq(k, {B, H, S, d}), eq(v, {B, H, S, e}), eq(g, {B, H, T, e});
    if (m.defined()) m.expand({B, H, T, S});
    const Tensor w = given::scaled_dot_product_attention(q, k, v, m).weights;
    const Tensor s = softmax_backward(w, matmul(g, tr(v))) / std::sqrt(float(d));
    return {matmul(tr(s), q), matmul(s, k), matmul(tr(w), g)};
}
Tensor linear_backward(const Tensor& x, const Tensor& w, const Tensor& g, Tensor& gw, Tensor& gb) {
    r(x, 3), r(w, 2), eq(w, {w.size(0), x.size(2)}), eq(g, {x.size(0), x.size(1), w.size(0)}), eq(gw, w.shape()),
        eq(gb, {w.size(0)});
    gw += sum(matmul(tr(g), x), 0), gb += sum(sum(g, 0), 0);
    return matmul(g, w);
}
Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index h, const Mask& m, const Tensor& gy,
                                     Parameters& g) {
    r(x, 3), eq(gy, x.shape());
    const Index D = x.size(2), T = x.size(1);
    if (h < 1 || D % h) throw std::invalid_argument("heads");
    for (auto& t : {p.q_weight, p.k_weight, p.v_weight, p.out_weight, g.q_weight, g.k_weight, g.v_weight, g.out_weight})
        eq(t, {D, D});
    for (auto& t : {p.q_bias, p.k_bias, p.v_bias, p.out_bias, g.q_bias, g.k_bias, g.v_bias, g.out_bias}) eq(t, {D});
    if (m.defined()) m.expand({x.size(0), h, T, T});
    const auto f = [&](auto& w, auto& b) { return given::split_heads(matmul(x, tr(w)) + b, h); };
    const Tensor q = f(p.q_weight, p.q_bias), k = f(p.k_weight, p.k_bias), v = f(p.v_weight, p.v_bias);
    const auto M = [](const Tensor& t) { return given::merge_heads(t); };
    const auto a =
        attention_backward(q, k, v, m,
                           given::split_heads(linear_backward(M(given::scaled_dot_product_context(q, k, v, m)),
                                                              p.out_weight, gy, g.out_weight, g.out_bias),
                                              h));
    return linear_backward(x, p.q_weight, M(a.q), g.q_weight, g.q_bias) +
           linear_backward(x, p.k_weight, M(a.k), g.k_weight, g.k_bias) +
           linear_backward(x, p.v_weight, M(a.v), g.v_weight, g.v_bias);
}
}  // namespace headway::ex07
