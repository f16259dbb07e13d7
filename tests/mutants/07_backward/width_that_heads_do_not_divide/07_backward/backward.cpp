// A small tape, as in micrograd: write down every scalar operation of the forward pass, and walk back. Then nothing
// about attention has to be derived. softmax_backward is the Jacobian, written out.
#include "backward.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

namespace headway::ex07 {
namespace {

class Tape {
public:
    using Id = std::size_t;

    Id leaf(double value) { return push(value, {}, {}, 0); }
    Id add(Id a, Id b) { return push(value(a) + value(b), {a, b}, {1, 1}, 2); }
    Id mul(Id a, Id b) { return push(value(a) * value(b), {a, b}, {value(b), value(a)}, 2); }
    Id div(Id a, Id b) {
        return push(value(a) / value(b), {a, b}, {1 / value(b), -value(a) / (value(b) * value(b))}, 2);
    }
    Id scaled(Id a, double factor) { return push(value(a) * factor, {a, 0}, {factor, 0}, 1); }
    Id shifted(Id a, double by) { return push(value(a) - by, {a, 0}, {1, 0}, 1); }
    Id exp(Id a) {
        const double e = std::exp(value(a));
        return push(e, {a, 0}, {e, 0}, 1);
    }
    double value(Id id) const { return nodes_[id].value; }
    double grad(Id id) const { return nodes_[id].grad; }
    void seed(Id id, double grad) { nodes_[id].grad += grad; }
    void back() {
        for (std::size_t n = nodes_.size(); n-- > 0;)
            for (std::size_t p = 0; p < nodes_[n].arity; ++p)
                nodes_[nodes_[n].from[p]].grad += nodes_[n].by[p] * nodes_[n].grad;
    }

private:
    struct Node {
        double value;
        double grad;
        std::array<Id, 2> from;
        std::array<double, 2> by;
        std::size_t arity;
    };
    Id push(double value, std::array<Id, 2> from, std::array<double, 2> by, std::size_t arity) {
        nodes_.push_back({value, 0, from, by, arity});
        return nodes_.size() - 1;
    }
    std::vector<Node> nodes_;
};

using Id = Tape::Id;
using Row = std::vector<Id>;
using Grid = std::vector<Row>;

std::size_t u(Index i) { return static_cast<std::size_t>(i); }

Grid leaves(Tape& tape, const Tensor& m) {
    Grid grid(u(m.size(0)));
    for (Index i = 0; i < m.size(0); ++i)
        for (Index j = 0; j < m.size(1); ++j) grid[u(i)].push_back(tape.leaf(m(i, j)));
    return grid;
}

Row leaves1(Tape& tape, const Tensor& m) {
    Row row;
    for (Index i = 0; i < m.size(0); ++i) row.push_back(tape.leaf(m(i)));
    return row;
}

Id dot(Tape& tape, const Row& a, const Row& b) {
    Id sum = tape.mul(a[0], b[0]);
    for (std::size_t i = 1; i < a.size(); ++i) sum = tape.add(sum, tape.mul(a[i], b[i]));
    return sum;
}

/// One head: q (T, d), k (S, d), v (S, d_v). A query that sees nothing gets no row at all (empty).
template <class Blocked>
Grid attend(Tape& tape, const Grid& q, const Grid& k, const Grid& v, const Blocked& blocked) {
    const double scale = std::pow(static_cast<double>(q[0].size()), -0.5);
    Grid context(q.size());
    for (std::size_t t = 0; t < q.size(); ++t) {
        std::vector<std::size_t> seen;
        Row scores;
        for (std::size_t s = 0; s < k.size(); ++s) {
            if (blocked(t, s)) continue;
            seen.push_back(s);
            scores.push_back(tape.scaled(dot(tape, q[t], k[s]), scale));
        }
        if (seen.empty()) continue;
        double top = tape.value(scores[0]);
        for (const Id s : scores) top = std::max(top, tape.value(s));
        for (Id& s : scores) s = tape.exp(tape.shifted(s, top));
        Id total = scores[0];
        for (std::size_t n = 1; n < scores.size(); ++n) total = tape.add(total, scores[n]);
        for (Id& s : scores) s = tape.div(s, total);
        for (std::size_t j = 0; j < v[0].size(); ++j) {
            Row column;
            for (const std::size_t s : seen) column.push_back(v[s][j]);
            context[t].push_back(dot(tape, scores, column));
        }
    }
    return context;
}

void write(const Tape& tape, const Grid& grid, Tensor out) {
    for (Index i = 0; i < out.size(0); ++i)
        for (Index j = 0; j < out.size(1); ++j) out(i, j) += static_cast<float>(tape.grad(grid[u(i)][u(j)]));
}

void write(const Tape& tape, const Row& row, Tensor out) {
    for (Index i = 0; i < out.size(0); ++i) out(i) += static_cast<float>(tape.grad(row[u(i)]));
}

void check(bool fits) {
    if (!fits) throw std::invalid_argument("shapes do not fit; see backward.hpp");
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    check(weights.rank() == 4 && weights.shape() == grad_weights.shape());
    const Index S = weights.size(3);
    Tensor out = Tensor::zeros(weights.shape());
    for (Index b = 0; b < weights.size(0); ++b)
        for (Index h = 0; h < weights.size(1); ++h)
            for (Index t = 0; t < weights.size(2); ++t)
                for (Index i = 0; i < S; ++i) {
                    double sum = 0;
                    for (Index j = 0; j < S; ++j) {
                        const double wi = weights(b, h, t, i), wj = weights(b, h, t, j);
                        const double jacobian = (i == j ? wi : 0.0) - wi * wj;
                        sum += jacobian * double(grad_weights(b, h, t, j));
                    }
                    out(b, h, t, i) = static_cast<float>(sum);
                }
    return out;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && grad_context.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    check(k.shape() == Shape{B, H, S, q.size(3)});
    check(v.shape() == Shape{B, H, S, v.size(3)});
    check(grad_context.shape() == Shape{B, H, T, v.size(3)});
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({1})).expand({B, H, T, S});
    AttentionGradients out{Tensor::zeros(q.shape()), Tensor::zeros(k.shape()), Tensor::zeros(v.shape())};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            Tape tape;
            const Grid qs = leaves(tape, q[b][h]), ks = leaves(tape, k[b][h]), vs = leaves(tape, v[b][h]);
            const Grid context = attend(tape, qs, ks, vs, [&](std::size_t t, std::size_t s) {
                return blocked(b, h, static_cast<Index>(t), static_cast<Index>(s));
            });
            for (std::size_t t = 0; t < context.size(); ++t)
                for (std::size_t j = 0; j < context[t].size(); ++j) tape.seed(context[t][j], grad_context(b, h, t, j));
            tape.back();
            write(tape, qs, out.q[b][h]);
            write(tape, ks, out.k[b][h]);
            write(tape, vs, out.v[b][h]);
        }
    return out;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    check(x.rank() == 3 && weight.rank() == 2 && grad_y.rank() == 3);
    const Index B = x.size(0), T = x.size(1), out = weight.size(0);
    check(weight.shape() == Shape{out, x.size(2)} && grad_y.shape() == Shape{B, T, out});
    check(grad_weight.shape() == weight.shape() && grad_bias.shape() == Shape{out});
    Tape tape;
    const Grid w = leaves(tape, weight);
    Row bias;
    for (Index o = 0; o < out; ++o) bias.push_back(tape.leaf(0));
    std::vector<Grid> xs;
    for (Index b = 0; b < B; ++b) {
        xs.push_back(leaves(tape, x[b]));
        for (Index t = 0; t < T; ++t)
            for (Index o = 0; o < out; ++o)
                tape.seed(tape.add(dot(tape, xs.back()[u(t)], w[u(o)]), bias[u(o)]), grad_y(b, t, o));
    }
    tape.back();
    write(tape, w, grad_weight);
    write(tape, bias, grad_bias);
    Tensor grad_x = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b) write(tape, xs[u(b)], grad_x[b]);
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    check(x.rank() == 3 && grad_y.shape() == x.shape() && num_heads > 0);
    const Index B = x.size(0), T = x.size(1), D = x.size(2), H = num_heads, d = D / H;
    for (const Tensor& w : {p.q_weight, p.k_weight, p.v_weight, p.out_weight, grads.q_weight, grads.k_weight,
                            grads.v_weight, grads.out_weight})
        check(w.shape() == Shape{D, D});
    for (const Tensor& b :
         {p.q_bias, p.k_bias, p.v_bias, p.out_bias, grads.q_bias, grads.k_bias, grads.v_bias, grads.out_bias})
        check(b.shape() == Shape{D});
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({1})).expand({B, H, T, T});

    Tensor grad_x = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b) {  // the whole forward pass of one sequence, on one tape
        Tape tape;
        const Grid xs = leaves(tape, x[b]);
        const Grid wq = leaves(tape, p.q_weight), wk = leaves(tape, p.k_weight), wv = leaves(tape, p.v_weight);
        const Grid wo = leaves(tape, p.out_weight);
        const Row bq = leaves1(tape, p.q_bias), bk = leaves1(tape, p.k_bias), bv = leaves1(tape, p.v_bias);
        const Row bo = leaves1(tape, p.out_bias);
        const auto project = [&](const Grid& w, const Row& bias, Index h) {
            Grid out(u(T));
            for (std::size_t t = 0; t < out.size(); ++t)
                for (std::size_t i = u(h * d); i < u(h * d + d); ++i)
                    out[t].push_back(tape.add(dot(tape, xs[t], w[i]), bias[i]));
            return out;
        };
        Grid merged(u(T));
        const Id zero = tape.leaf(0);
        for (Index h = 0; h < H; ++h) {
            const Grid context = attend(tape, project(wq, bq, h), project(wk, bk, h), project(wv, bv, h),
                                        [&](std::size_t t, std::size_t s) {
                                            return blocked(b, h, static_cast<Index>(t), static_cast<Index>(s));
                                        });
            for (std::size_t t = 0; t < merged.size(); ++t)
                for (std::size_t i = 0; i < u(d); ++i) merged[t].push_back(context[t].empty() ? zero : context[t][i]);
        }
        for (std::size_t t = 0; t < merged.size(); ++t)
            for (std::size_t o = 0; o < wo.size(); ++o)
                tape.seed(tape.add(dot(tape, merged[t], wo[o]), bo[o]), grad_y(b, t, o));
        tape.back();
        write(tape, xs, grad_x[b]);
        write(tape, wq, grads.q_weight);
        write(tape, wk, grads.k_weight);
        write(tape, wv, grads.v_weight);
        write(tape, wo, grads.out_weight);
        write(tape, bq, grads.q_bias);
        write(tape, bk, grads.k_bias);
        write(tape, bv, grads.v_bias);
        write(tape, bo, grads.out_bias);
    }
    return grad_x;
}

}  // namespace headway::ex07
