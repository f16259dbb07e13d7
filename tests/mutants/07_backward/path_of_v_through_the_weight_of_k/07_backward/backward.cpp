#include "backward.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

// No raw loop where an algorithm will do. Rows are std::vectors.

namespace headway::ex07 {
namespace {

using Row = std::vector<float>;
using Rows = std::vector<Row>;

Row to_row(const Tensor& vector) {
    Row row(static_cast<std::size_t>(vector.size(0)));
    std::generate(row.begin(), row.end(), [&vector, i = Index{0}]() mutable { return vector(i++); });
    return row;
}

Rows to_rows(const Tensor& matrix) {
    Rows rows(static_cast<std::size_t>(matrix.size(0)));
    std::generate(rows.begin(), rows.end(), [&matrix, i = Index{0}]() mutable { return to_row(matrix[i++]); });
    return rows;
}

double dot(const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// target += factor · source
void add_scaled(Row& target, const Row& source, double factor) {
    std::transform(target.begin(), target.end(), source.begin(), target.begin(),
                   [factor](float t, float s) { return static_cast<float>(t + factor * s); });
}

void write(const Rows& rows, Tensor target) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows[i].size(); ++j) target(i, j) = rows[i][j];
}

Row softmax_row_backward(const Row& weights, const Row& grad) {
    const double average = dot(weights, grad);
    Row result(weights.size());
    std::transform(weights.begin(), weights.end(), grad.begin(), result.begin(),
                   [average](float w, float g) { return static_cast<float>(w * (g - average)); });
    return result;
}

template <class... Conditions>
void all_of_or_throw(const char* what, Conditions... conditions) {
    const std::array<bool, sizeof...(conditions)> list{static_cast<bool>(conditions)...};
    if (!std::all_of(list.begin(), list.end(), [](bool fits) { return fits; })) throw std::invalid_argument(what);
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    all_of_or_throw("softmax_backward", weights.rank() == 4, weights.shape() == grad_weights.shape());
    Tensor result = Tensor::zeros(weights.shape());
    for (Index b = 0; b < weights.size(0); ++b)
        for (Index h = 0; h < weights.size(1); ++h) {
            const Rows w = to_rows(weights[b][h]), g = to_rows(grad_weights[b][h]);
            Rows out(w.size());
            std::transform(w.begin(), w.end(), g.begin(), out.begin(), softmax_row_backward);
            write(out, result[b][h]);
        }
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    all_of_or_throw("attention_backward: rank", q.rank() == 4, k.rank() == 4, v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), e = v.size(3);
    all_of_or_throw("attention_backward: shape", k.shape() == Shape{B, H, S, d}, v.shape() == Shape{B, H, S, e},
                    grad_context.shape() == Shape{B, H, T, e});
    if (mask.defined()) (void)mask.expand({B, H, T, S});
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    AttentionGradients result{Tensor::zeros(q.shape()), Tensor::zeros(k.shape()), Tensor::zeros(v.shape())};
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Rows Q = to_rows(q[b][h]), K = to_rows(k[b][h]), V = to_rows(v[b][h]);
            const Rows W = to_rows(weights[b][h]), G = to_rows(grad_context[b][h]);
            Rows gq(Q.size(), Row(static_cast<std::size_t>(d))), gk(K.size(), Row(static_cast<std::size_t>(d))),
                gv(V.size(), Row(static_cast<std::size_t>(e)));
            for (std::size_t t = 0; t < Q.size(); ++t) {
                Row gw(K.size());
                std::transform(V.begin(), V.end(), gw.begin(),
                               [&](const Row& value) { return static_cast<float>(dot(G[t], value)); });
                const Row gs = softmax_row_backward(W[t], gw);
                for (std::size_t s = 0; s < K.size(); ++s) {
                    add_scaled(gq[t], K[s], gs[s] * scale);
                    add_scaled(gk[s], Q[t], gs[s] * scale);
                    add_scaled(gv[s], G[t], W[t][s]);
                }
            }
            write(gq, result.q[b][h]);
            write(gk, result.k[b][h]);
            write(gv, result.v[b][h]);
        }
    return result;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    all_of_or_throw("linear_backward: rank", x.rank() == 3, weight.rank() == 2);
    const Index out = weight.size(0), in = weight.size(1);
    all_of_or_throw("linear_backward: shape", x.size(2) == in, grad_y.shape() == Shape{x.size(0), x.size(1), out},
                    grad_weight.shape() == weight.shape(), grad_bias.shape() == Shape{out});
    const Rows W = to_rows(weight);
    Rows gw(W.size(), Row(static_cast<std::size_t>(in)));
    Row gb(W.size());
    Tensor grad_x = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b) {
        const Rows X = to_rows(x[b]), G = to_rows(grad_y[b]);
        Rows gx(X.size(), Row(static_cast<std::size_t>(in)));
        for (std::size_t t = 0; t < X.size(); ++t) {
            std::transform(gb.begin(), gb.end(), G[t].begin(), gb.begin(), std::plus<>{});
            for (std::size_t o = 0; o < W.size(); ++o) {
                add_scaled(gw[o], X[t], G[t][o]);
                add_scaled(gx[t], W[o], G[t][o]);
            }
        }
        write(gx, grad_x[b]);
    }
    for (Index o = 0; o < out; ++o) {
        grad_bias(o) += gb[static_cast<std::size_t>(o)];
        for (Index i = 0; i < in; ++i)
            grad_weight(o, i) += gw[static_cast<std::size_t>(o)][static_cast<std::size_t>(i)];
    }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    all_of_or_throw("x, grad_y", x.rank() == 3, x.shape() == grad_y.shape());
    const Index D = x.size(2);
    all_of_or_throw("num_heads", num_heads >= 1 && D % num_heads == 0);
    const std::vector<Tensor> matrices{parameters.q_weight,   parameters.k_weight, parameters.v_weight,
                                       parameters.out_weight, grads.q_weight,      grads.k_weight,
                                       grads.v_weight,        grads.out_weight};
    const std::vector<Tensor> vectors{parameters.q_bias, parameters.k_bias, parameters.v_bias, parameters.out_bias,
                                      grads.q_bias,      grads.k_bias,      grads.v_bias,      grads.out_bias};
    all_of_or_throw(
        "parameters",
        std::all_of(matrices.begin(), matrices.end(),
                    [&](const Tensor& w) {
                        return w.shape() == Shape{D, D};
                    }),
        std::all_of(vectors.begin(), vectors.end(), [&](const Tensor& b) { return b.shape() == Shape{D}; }));
    if (mask.defined()) (void)mask.expand({x.size(0), num_heads, x.size(1), x.size(1)});

    std::vector<Tensor> heads(3);
    std::transform(matrices.begin(), matrices.begin() + 3, vectors.begin(), heads.begin(),
                   [&](const Tensor& w, const Tensor& b) {
                       return given::split_heads(matmul(x, w.transpose(0, 1)) + b, num_heads);
                   });
    const Tensor merged = given::merge_heads(given::scaled_dot_product_context(heads[0], heads[1], heads[2], mask));
    const Tensor grad_merged = linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g =
        attention_backward(heads[0], heads[1], heads[2], mask, given::split_heads(grad_merged, num_heads));
    const std::vector<Tensor> ways{
        linear_backward(x, parameters.q_weight, given::merge_heads(g.q), grads.q_weight, grads.q_bias),
        linear_backward(x, parameters.k_weight, given::merge_heads(g.k), grads.k_weight, grads.k_bias),
        linear_backward(x, parameters.k_weight, given::merge_heads(g.v), grads.v_weight, grads.v_bias)};
    return std::accumulate(ways.begin() + 1, ways.end(), ways.front(),
                           [](const Tensor& a, const Tensor& b) { return a + b; });
}

}  // namespace headway::ex07
