#include "merge_heads.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace headway::ex04 {

namespace {

/// A row-major matrix of any number type.
template <class Number>
class Grid {
public:
    Grid(Index rows, Index cols) : cols_(cols), numbers_(static_cast<std::size_t>(rows * cols)) {}
    explicit Grid(const Tensor& t) : Grid(t.size(0), t.size(1)) {
        for (Index r = 0; r < rows(); ++r)
            for (Index c = 0; c < cols_; ++c) at(r, c) = static_cast<Number>(t(r, c));
    }

    Index rows() const { return cols_ == 0 ? 0 : static_cast<Index>(numbers_.size()) / cols_; }
    Index cols() const { return cols_; }
    Number& at(Index r, Index c) { return numbers_[static_cast<std::size_t>(r * cols_ + c)]; }
    const Number& at(Index r, Index c) const { return numbers_[static_cast<std::size_t>(r * cols_ + c)]; }
    Number* row(Index r) { return &numbers_[static_cast<std::size_t>(r * cols_)]; }

    Grid operator*(const Grid& right) const {
        Grid product(rows(), right.cols_);
        for (Index r = 0; r < rows(); ++r)
            for (Index p = 0; p < cols_; ++p)
                for (Index c = 0; c < right.cols_; ++c) product.at(r, c) += at(r, p) * right.at(p, c);
        return product;
    }

    void write_to(Tensor out) const {
        for (Index r = 0; r < rows(); ++r)
            for (Index c = 0; c < cols_; ++c) out(r, c) = static_cast<float>(at(r, c));
    }

private:
    Index cols_;
    std::vector<Number> numbers_;
};

using Matrix = Grid<double>;

void require(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

/// One head of one sequence: columns [first, first + d) of q, k and v; adds to the same columns of `merged`.
template <class Blocked>
void attend(const Matrix& q, const Matrix& k, const Matrix& v, Index first, Index d, Blocked blocked, Matrix& merged) {
    for (Index t = 0; t < q.rows(); ++t) {
        std::vector<Index> keys;
        std::vector<double> scores;
        for (Index s = 0; s < k.rows(); ++s) {
            if (blocked(t, s)) continue;
            double dot = 0;
            for (Index i = first; i < first + d; ++i) dot += q.at(t, i) * k.at(s, i);
            keys.push_back(s);
            scores.push_back(dot / std::sqrt(static_cast<double>(d)));
        }
        if (keys.empty()) continue;
        const double top = *std::max_element(scores.begin(), scores.end());
        for (double& score : scores) score = std::exp(score - top);
        const double total = std::accumulate(scores.begin(), scores.end(), 0.0);
        for (std::size_t n = 0; n < keys.size(); ++n)
            for (Index i = first; i < first + d; ++i) merged.at(t, i) += scores[n] / total * v.at(keys[n], i);
    }
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    require(context.rank() == 4, "merge_heads: four axes");
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    std::vector<float> numbers;
    numbers.reserve(static_cast<std::size_t>(context.numel()));
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index e = 0; e < H * d; ++e) numbers.push_back(context(b, e / d, t, e % d));
    return Tensor::of({B, T, H * d}, numbers);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    require(merged.rank() == 3 && w_o.rank() == 2, "project_output: (B, T, E) and (E, D)");
    require(merged.size(2) == w_o.size(0), "project_output: E differs");
    require(!b_o.defined() || b_o.shape() == Shape{w_o.size(1)}, "project_output: b_o must be (D)");
    Tensor out = Tensor::empty({merged.size(0), merged.size(1), w_o.size(1)});
    const Matrix w(w_o);
    for (Index b = 0; b < merged.size(0); ++b) {
        Matrix y = Matrix(merged[b]) * w;
        if (b_o.defined())
            for (Index t = 0; t < y.rows(); ++t)
                for (Index j = 0; j < y.cols(); ++j) y.at(t, j) += b_o(j);
        y.write_to(out[b]);
    }
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    require(x.rank() == 3, "multi_head_attention: (B, T, D)");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o}) require(w.shape() == Shape{D, D}, "multi_head_attention: (D, D)");
    require(num_heads >= 1 && D % num_heads == 0, "multi_head_attention: num_heads must divide D");
    const Mask wide = mask.defined() ? mask.expand({B, num_heads, T, T}) : Mask{};
    const Index d = D / num_heads;
    Tensor out = Tensor::empty(x.shape());
    for (Index b = 0; b < B; ++b) {
        const Matrix tokens(x[b]);
        const Matrix q = tokens * Matrix(w_q), k = tokens * Matrix(w_k), v = tokens * Matrix(w_v);
        Matrix merged(T, D);
        for (Index h = 0; h < num_heads; ++h)
            attend(
                q, k, v, h * d, d, [&](Index t, Index s) { return wide.defined() && wide(b, h, t, s); }, merged);
        (merged * Matrix(w_o)).write_to(out[b]);
    }
    return out;
}

}  // namespace headway::ex04
