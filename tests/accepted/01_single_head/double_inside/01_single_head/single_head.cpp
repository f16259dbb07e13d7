#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

static Rows read(const Tensor& t) {
    if (t.rank() != 2) throw std::invalid_argument("a matrix is needed");
    Rows rows(static_cast<size_t>(t.size(0)), Row(static_cast<size_t>(t.size(1))));
    for (size_t i = 0; i < rows.size(); ++i)
        for (size_t j = 0; j < rows[i].size(); ++j) rows[i][j] = t(i, j);
    return rows;
}

static Tensor write(const Rows& rows, Index width) {
    Tensor t = Tensor::empty({static_cast<Index>(rows.size()), width});
    for (size_t i = 0; i < rows.size(); ++i)
        for (size_t j = 0; j < rows[i].size(); ++j) t(i, j) = static_cast<float>(rows[i][j]);
    return t;
}

static Rows product(const Rows& a, const Rows& b, size_t width) {
    Rows c(a.size(), Row(width, 0.0));
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t p = 0; p < b.size(); ++p)
            for (size_t j = 0; j < width; ++j) c[i][j] += a[i][p] * b[p][j];
    return c;
}

static void softmax(Row& row) {
    const double top = *std::max_element(row.begin(), row.end());
    double total = 0;
    for (double& v : row) total += v = std::exp(v - top);
    for (double& v : row) v /= total;
}

static Rows weigh(const Rows& q, const Rows& k, Index d) {
    Rows w(q.size(), Row(k.size()));
    for (size_t t = 0; t < q.size(); ++t) {
        for (size_t s = 0; s < k.size(); ++s) {
            double dot = 0;
            for (size_t i = 0; i < q[t].size(); ++i) dot += q[t][i] * k[s][i];
            w[t][s] = dot / std::sqrt(static_cast<double>(d));
        }
        softmax(w[t]);
    }
    return w;
}

Tensor softmax_rows(const Tensor& scores) {
    Rows rows = read(scores);
    for (Row& row : rows) softmax(row);
    return write(rows, scores.size(1));
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    const Rows a = read(q), b = read(k);
    if (q.size(1) != k.size(1)) throw std::invalid_argument("q and k: the widths differ");
    return write(weigh(a, b, q.size(1)), k.size(0));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Rows rows = read(x), wq = read(w_q), wk = read(w_k), wv = read(w_v);
    for (const Tensor* w : {&w_q, &w_k, &w_v})
        if (w->size(0) != x.size(1))
            throw std::invalid_argument("a projection must have as many rows as x has columns");
    if (w_q.size(1) != w_k.size(1)) throw std::invalid_argument("w_q and w_k: the widths differ");
    const auto d = static_cast<size_t>(w_q.size(1)), d_v = static_cast<size_t>(w_v.size(1));
    const Rows weights = weigh(product(rows, wq, d), product(rows, wk, d), w_q.size(1));
    return write(product(weights, product(rows, wv, d_v), d_v), w_v.size(1));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    Rows a = read(x);
    const Rows b = read(attended);
    if (x.shape() != attended.shape()) throw std::invalid_argument("residual needs equal shapes");
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = 0; j < a[i].size(); ++j) a[i][j] += b[i][j];
    return write(a, x.size(1));
}

}  // namespace headway::ex01
