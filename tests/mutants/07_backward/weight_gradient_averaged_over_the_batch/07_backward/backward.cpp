// A Matrix of my own in std::vector<float> with compensated sums; attention goes key by key (columns first), with
// the softmax from a log-sum-exp; the module is a sum over heads, each with its own columns of every weight.
#include "backward.hpp"

#include <cstddef>
#include <limits>
#include <stdexcept>

namespace headway::ex07 {
namespace {

struct Sum {  // Kahan
    float total = 0, lost = 0;
    void add(float x) {
        const float y = x - lost;
        const float t = total + y;
        lost = (t - total) - y;
        total = t;
    }
};

class Matrix {
public:
    Matrix(Index rows, Index columns)
        : rows_(rows), columns_(columns), numbers_(static_cast<std::size_t>(rows * columns)) {}
    explicit Matrix(const Tensor& t) : Matrix(t.size(0), t.size(1)) {
        for (Index r = 0; r < rows_; ++r)
            for (Index c = 0; c < columns_; ++c) (*this)(r, c) = t(r, c);
    }
    Index rows() const { return rows_; }
    Index columns() const { return columns_; }
    float& operator()(Index r, Index c) { return numbers_[static_cast<std::size_t>(r * columns_ + c)]; }
    float operator()(Index r, Index c) const { return numbers_[static_cast<std::size_t>(r * columns_ + c)]; }
    Matrix turned() const {
        Matrix out(columns_, rows_);
        for (Index r = 0; r < rows_; ++r)
            for (Index c = 0; c < columns_; ++c) out(c, r) = (*this)(r, c);
        return out;
    }
    Matrix columns(Index begin, Index end) const {
        Matrix out(rows_, end - begin);
        for (Index r = 0; r < rows_; ++r)
            for (Index c = begin; c < end; ++c) out(r, c - begin) = (*this)(r, c);
        return out;
    }
    Matrix rows(Index begin, Index end) const { return turned().columns(begin, end).turned(); }
    void add_to(Tensor target) const {
        for (Index r = 0; r < rows_; ++r)
            for (Index c = 0; c < columns_; ++c) target(r, c) += (*this)(r, c);
    }

private:
    Index rows_, columns_;
    std::vector<float> numbers_;
};

Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix out(a.rows(), b.columns());
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < b.columns(); ++j) {
            Sum sum;
            for (Index n = 0; n < a.columns(); ++n) sum.add(a(i, n) * b(n, j));
            out(i, j) = sum.total;
        }
    return out;
}

std::vector<float> column_sums(const Matrix& m) {
    std::vector<float> out;
    for (Index c = 0; c < m.columns(); ++c) {
        Sum sum;
        for (Index r = 0; r < m.rows(); ++r) sum.add(m(r, c));
        out.push_back(sum.total);
    }
    return out;
}

/// Of one head. `blocked` is (T, S).
struct Head {
    Head(const Matrix& q_in, const Matrix& k_in, const Matrix& v_in, const Mask& blocked, Index b, Index h)
        : q(q_in), k(k_in), v(v_in), weights(q.rows(), k.rows()), root(std::sqrt(float(q.columns()))) {
        const Matrix scores = q * k.turned();
        for (Index t = 0; t < q.rows(); ++t) {
            float top = -std::numeric_limits<float>::infinity();
            for (Index s = 0; s < k.rows(); ++s)
                if (!blocked(b, h, t, s)) top = std::max(top, scores(t, s) / root);
            Sum sum;
            for (Index s = 0; s < k.rows(); ++s)
                if (!blocked(b, h, t, s)) sum.add(std::exp(scores(t, s) / root - top));
            for (Index s = 0; s < k.rows(); ++s)
                weights(t, s) = blocked(b, h, t, s) ? 0.0F : std::exp(scores(t, s) / root - top) / sum.total;
        }
    }

    Matrix context() const { return weights * v; }

    struct Gradients {
        Matrix q, k, v;
    };
    Gradients backward(const Matrix& grad_context) const {
        Matrix gs = grad_context * v.turned();
        for (Index t = 0; t < gs.rows(); ++t) {
            // Σ_j w_s·w_j·(g_s - g_j): the same as w_s·(g_s - Σ_j w_j·g_j), since the weights of a row sum to 1
            std::vector<float> row;
            for (Index s = 0; s < gs.columns(); ++s) {
                Sum sum;
                for (Index j = 0; j < gs.columns(); ++j) sum.add(weights(t, j) * (gs(t, s) - gs(t, j)));
                row.push_back(weights(t, s) * sum.total / root);
            }
            for (Index s = 0; s < gs.columns(); ++s) gs(t, s) = row[static_cast<std::size_t>(s)];
        }
        return {gs * k, gs.turned() * q, weights.turned() * grad_context};
    }

    Matrix q, k, v, weights;
    float root;
};

[[noreturn]] void wrong(const char* what) { throw std::invalid_argument(std::string("07: ") + what); }

Mask whole(const Mask& mask, const Shape& shape) {
    return mask.defined() ? mask.expand(shape) : Mask::allow_all(shape);
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4 || grad_weights.shape() != weights.shape()) wrong("weights and grad_weights");
    Tensor out = Tensor::empty(weights.shape());
    for (Index b = 0; b < weights.size(0); ++b)
        for (Index h = 0; h < weights.size(1); ++h)
            for (Index t = 0; t < weights.size(2); ++t) {
                const Tensor w = weights[b][h][t], g = grad_weights[b][h][t];
                Sum mean;
                for (Index s = 0; s < w.size(0); ++s) mean.add(w(s) * g(s));
                for (Index s = 0; s < w.size(0); ++s) out(b, h, t, s) = w(s) * g(s) - w(s) * mean.total;
            }
    return out;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || grad_context.rank() != 4) wrong("rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, d} || v.shape() != Shape{B, H, S, d_v}) wrong("keys or values");
    if (grad_context.shape() != Shape{B, H, T, d_v}) wrong("grad_context");
    const Mask blocked = whole(mask, {B, H, T, S});
    AttentionGradients out{Tensor::zeros(q.shape()), Tensor::zeros(k.shape()), Tensor::zeros(v.shape())};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Head head(Matrix(q[b][h]), Matrix(k[b][h]), Matrix(v[b][h]), blocked, b, h);
            const auto g = head.backward(Matrix(grad_context[b][h]));
            g.q.add_to(out.q[b][h]);
            g.k.add_to(out.k[b][h]);
            g.v.add_to(out.v[b][h]);
        }
    return out;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    if (x.rank() != 3 || weight.rank() != 2 || grad_y.rank() != 3) wrong("rank");
    if (weight.size(1) != x.size(2)) wrong("weight");
    if (grad_y.shape() != Shape{x.size(0), x.size(1), weight.size(0)}) wrong("grad_y");
    if (grad_weight.shape() != weight.shape() || grad_bias.shape() != Shape{weight.size(0)}) wrong("gradients");
    Tensor grad_x = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b) {  // one sequence after the other, each adds its part
        const Matrix gy(grad_y[b]);
        {
            Matrix part = gy.turned() * Matrix(x[b]);
            for (Index o = 0; o < part.rows(); ++o)
                for (Index i = 0; i < part.columns(); ++i) part(o, i) /= float(x.size(0));
            part.add_to(grad_weight);
        }
        const std::vector<float> sums = column_sums(gy);
        for (Index o = 0; o < weight.size(0); ++o) grad_bias(o) += sums[static_cast<std::size_t>(o)];
        (gy * Matrix(weight)).add_to(grad_x[b]);
    }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3 || grad_y.shape() != x.shape()) wrong("x or grad_y");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads <= 0 || D % num_heads != 0) wrong("num_heads");
    for (const auto& [w, b] : {std::pair{p.q_weight, p.q_bias}, std::pair{p.k_weight, p.k_bias},
                               std::pair{p.v_weight, p.v_bias}, std::pair{p.out_weight, p.out_bias},
                               std::pair{grads.q_weight, grads.q_bias}, std::pair{grads.k_weight, grads.k_bias},
                               std::pair{grads.v_weight, grads.v_bias}, std::pair{grads.out_weight, grads.out_bias}})
        if (w.shape() != Shape{D, D} || b.shape() != Shape{D}) wrong("a parameter");
    const Index d = D / num_heads;
    const Mask blocked = whole(mask, {B, num_heads, T, T});

    Tensor grad_x = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b) {
        const Matrix xs(x[b]), gy(grad_y[b]);
        const std::vector<float> out_sums = column_sums(gy);
        for (Index o = 0; o < D; ++o) grads.out_bias(o) += out_sums[static_cast<std::size_t>(o)];
        for (Index h = 0; h < num_heads; ++h) {
            const Index begin = h * d, end = begin + d;
            // y = Σ_h context_h · out_hᵀ, where out_h are the columns of out_weight that belong to head h
            const auto project = [&](const Tensor& weight, const Tensor& bias) {
                Matrix out = xs * Matrix(weight).rows(begin, end).turned();
                for (Index t = 0; t < T; ++t)
                    for (Index i = 0; i < d; ++i) out(t, i) += bias(begin + i);
                return out;
            };
            const Head head(project(p.q_weight, p.q_bias), project(p.k_weight, p.k_bias), project(p.v_weight, p.v_bias),
                            blocked, b, h);
            (gy.turned() * head.context()).add_to(grads.out_weight.slice(1, begin, end));
            const auto g = head.backward(gy * Matrix(p.out_weight).columns(begin, end));
            const auto through = [&](const Matrix& gh, const Tensor& weight, const Tensor& gw, const Tensor& gb) {
                (gh.turned() * xs).add_to(gw.slice(0, begin, end));
                const std::vector<float> sums = column_sums(gh);
                Tensor part = gb.slice(0, begin, end);
                for (Index i = 0; i < d; ++i) part(i) += sums[static_cast<std::size_t>(i)];
                (gh * Matrix(weight).rows(begin, end)).add_to(grad_x[b]);
            };
            through(g.q, p.q_weight, grads.q_weight, grads.q_bias);
            through(g.k, p.k_weight, grads.k_weight, grads.k_bias);
            through(g.v, p.v_weight, grads.v_weight, grads.v_bias);
        }
    }
    return grad_x;
}

}  // namespace headway::ex07
