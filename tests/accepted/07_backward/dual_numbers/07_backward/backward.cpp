// Forward mode: dual numbers, one derivative after the other; templates; goto for the empty row.
#include "backward.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex07 {
namespace {

struct Dual {
    double x = 0, dx = 0;
};
Dual operator+(Dual a, Dual b) { return {a.x + b.x, a.dx + b.dx}; }
Dual operator*(Dual a, Dual b) { return {a.x * b.x, a.dx * b.x + a.x * b.dx}; }
Dual operator/(Dual a, Dual b) { return {a.x / b.x, (a.dx * b.x - a.x * b.dx) / (b.x * b.x)}; }
Dual Exp(Dual a) { return {std::exp(a.x), std::exp(a.x) * a.dx}; }
double Exp(double a) { return std::exp(a); }
double real(double a) { return a; }
double real(Dual a) { return a.x; }

template <class Number>
struct Matrix {
    Index rows, cols;
    std::vector<Number> n;
    explicit Matrix(const Tensor& t) : rows(t.size(0)), cols(t.size(1)) {
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < cols; ++j) n.push_back(Number{static_cast<double>(t(i, j))});
    }
    Number& at(Index i, Index j) { return n[static_cast<std::size_t>(i * cols + j)]; }
    const Number& at(Index i, Index j) const { return n[static_cast<std::size_t>(i * cols + j)]; }
};

/// Σ_i grad[t, i] · context[t, i] of one query: the loss, as far as it depends on this row.
template <class Number>
Number loss_of_row(const Matrix<Number>& q, const Matrix<Number>& k, const Matrix<Number>& v, const Mask& mask, Index b,
                   Index h, Index t, const Tensor& grad) {
    std::vector<Number> score(static_cast<std::size_t>(k.rows));
    double top = 0;
    bool any = false;
    Number total{}, loss{};
    for (Index s = 0; s < k.rows; ++s) {
        if (mask(b, h, t, s)) continue;
        Number& z = score[static_cast<std::size_t>(s)];
        for (Index i = 0; i < q.cols; ++i) z = z + q.at(t, i) * k.at(s, i);
        z = z * Number{1 / std::sqrt(static_cast<double>(q.cols))};
        top = any ? std::max(top, real(z)) : real(z);
        any = true;
    }
    if (!any) goto nothing;
    for (Index s = 0; s < k.rows; ++s) {
        if (mask(b, h, t, s)) continue;
        Number& z = score[static_cast<std::size_t>(s)];
        z = Exp(z + Number{-top});
        total = total + z;
        for (Index i = 0; i < v.cols; ++i) loss = loss + z * v.at(s, i) * Number{static_cast<double>(grad(t, i))};
    }
    loss = loss / total;
nothing:
    return loss;
}

void must(bool b) {
    if (!b) throw std::invalid_argument("a shape does not fit");
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    must(weights.rank() == 4 && grad_weights.shape() == weights.shape());
    Tensor out = Tensor::zeros(weights.shape());
    const Index S = weights.size(3);
    for (Index b = 0; b < weights.size(0); ++b)
        for (Index h = 0; h < weights.size(1); ++h)
            for (Index t = 0; t < weights.size(2); ++t)
                for (Index s = 0; s < S; ++s) {
                    if (weights(b, h, t, s) == 0.0F) continue;
                    // score s grows by ε: e^score = w(1 + ε)
                    Dual above, below;
                    for (Index j = 0; j < S; ++j) {
                        const Dual e{weights(b, h, t, j), j == s ? weights(b, h, t, j) : 0.0};
                        above = above + e * Dual{grad_weights(b, h, t, j), 0};
                        below = below + e;
                    }
                    out(b, h, t, s) = static_cast<float>((above / below).dx);
                }
    return out;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    must(q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), e = v.size(3);
    must(k.shape() == Shape{B, H, S, d} && v.shape() == Shape{B, H, S, e});
    must(grad_context.shape() == Shape{B, H, T, e});
    Mask full = Mask::allow_all({B, H, T, S});
    if (mask.defined()) full = mask.expand({B, H, T, S});
    AttentionGradients out{Tensor::zeros(q.shape()), Tensor::zeros(k.shape()), Tensor::zeros(v.shape())};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            Matrix<Dual> Q(q[b][h]), K(k[b][h]), V(v[b][h]);
            const Tensor G = grad_context[b][h];
            const auto differentiate = [&](Matrix<Dual>& m, Tensor to, bool own_row_only) {
                for (Index r = 0; r < m.rows; ++r)
                    for (Index c = 0; c < m.cols; ++c) {
                        m.at(r, c).dx = 1;
                        double sum = 0;
                        for (Index t = 0; t < T; ++t)
                            if (!own_row_only || t == r) sum += loss_of_row(Q, K, V, full, b, h, t, G).dx;
                        m.at(r, c).dx = 0;
                        to(r, c) = static_cast<float>(sum);
                    }
            };
            differentiate(Q, out.q[b][h], true);
            differentiate(K, out.k[b][h], false);
            differentiate(V, out.v[b][h], false);
        }
    return out;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    must(x.rank() == 3 && weight.rank() == 2 && grad_y.rank() == 3);
    must(x.size(2) == weight.size(1) && grad_y.size(2) == weight.size(0) && grad_y.size(0) == x.size(0) &&
         grad_y.size(1) == x.size(1));
    must(grad_weight.shape() == weight.shape() && grad_bias.shape() == Shape{weight.size(0)});
    Tensor grad_x = Tensor::zeros(x.shape());
    // outer products, token by token
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) {
            const Tensor g = grad_y[b][t], in = x[b][t];
            grad_bias += g;
            for (Index o = 0; o < weight.size(0); ++o) {
                grad_weight[o] += in * g(o);
                grad_x[b][t] += weight[o] * g(o);
            }
        }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    must(x.rank() == 3 && grad_y.shape() == x.shape());
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    must(num_heads > 0);
    must(D % num_heads == 0);
    for (Tensor Parameters::*w :
         {&Parameters::q_weight, &Parameters::k_weight, &Parameters::v_weight, &Parameters::out_weight})
        must((p.*w).shape() == Shape{D, D} && (grads.*w).shape() == Shape{D, D});
    for (Tensor Parameters::*w : {&Parameters::q_bias, &Parameters::k_bias, &Parameters::v_bias, &Parameters::out_bias})
        must((p.*w).shape() == Shape{D} && (grads.*w).shape() == Shape{D});
    // one wide map for the three
    const Tensor weight = cat({p.q_weight, p.k_weight, p.v_weight}, 0);
    const Tensor bias = cat({p.q_bias, p.k_bias, p.v_bias}, 0);
    const Tensor qkv = matmul(x, weight.transpose(0, 1)) + bias;
    const auto third = [&](const Tensor& t, Index i) { return t.slice(2, i * D, (i + 1) * D); };
    const Tensor q = given::split_heads(third(qkv, 0), num_heads), k = given::split_heads(third(qkv, 1), num_heads),
                 v = given::split_heads(third(qkv, 2), num_heads);
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(q, k, v, mask));
    const Tensor gm = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g = attention_backward(q, k, v, mask, given::split_heads(gm, num_heads));
    const Tensor gqkv = cat({given::merge_heads(g.q), given::merge_heads(g.k), given::merge_heads(g.v)}, -1);
    Tensor gw = Tensor::zeros({3 * D, D}), gb = Tensor::zeros({3 * D});
    const Tensor gx = linear_backward(x, weight, gqkv, gw, gb);
    grads.q_weight += gw.slice(0, 0, D);
    grads.k_weight += gw.slice(0, D, 2 * D);
    grads.v_weight += gw.slice(0, 2 * D, 3 * D);
    grads.q_bias += gb.slice(0, 0, D);
    grads.k_bias += gb.slice(0, D, 2 * D);
    grads.v_bias += gb.slice(0, 2 * D, 3 * D);
    (void)B, (void)T;
    return gx;
}

}  // namespace headway::ex07
