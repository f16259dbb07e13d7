#include "single_head.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex01 {

using Row = std::vector<float>;
using Matrix = std::vector<Row>;

static Matrix read(const Tensor& t) {
    if (t.rank() != 2) throw std::invalid_argument("expected a matrix, got " + to_string(t.shape()));
    Matrix m;
    for (Index i = 0; i < t.size(0); ++i) {
        Row r;
        for (Index j = 0; j < t.size(1); ++j) r.push_back(t(i, j));
        m.push_back(r);
    }
    return m;
}

Tensor softmax_rows(const Tensor& scores) {
    Matrix m = read(scores);
    std::vector<float> flat;
    for (Row& row : m) {
        float top = -std::numeric_limits<float>::infinity();
        for (float value : row)
            if (value > top) top = value;
        float z = 0.0f;
        for (float& value : row) {
            value = std::exp(value - top);
            z += value;
        }
        for (float value : row) flat.push_back(value / z);
    }
    return Tensor::of(scores.shape(), flat);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    const Matrix queries = read(q);
    const Matrix keys = read(k);
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: width of q != width of k");
    std::vector<float> scores;
    for (const Row& query : queries) {
        for (const Row& key : keys) {
            float dot = 0.0f;
            for (std::size_t i = 0; i < query.size(); ++i) dot += query[i] * key[i];
            scores.push_back(dot / static_cast<float>(query.size()));
        }
    }
    return softmax_rows(Tensor::of({q.size(0), k.size(0)}, scores));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Index D = x.size(-1);
    for (const Tensor& w : {w_q, w_k, w_v}) {
        if (w.rank() != 2 || w.size(0) != D)
            throw std::invalid_argument("a weight has shape " + to_string(w.shape()) + ", needs " + std::to_string(D) +
                                        " rows");
    }
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: different shapes");
    Tensor y = x.clone();
    y += attended;
    return y;
}

}  // namespace headway::ex01
