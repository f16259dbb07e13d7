#include "single_head.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("not a matrix");
    Index rows = scores.size(0);
    Index cols = scores.size(1);
    Tensor out = Tensor::zeros({rows, cols});
    std::vector<double> e(static_cast<std::size_t>(cols));
    for (Index r = 0; r < rows; r++) {
        double biggest = -1e300;
        for (Index c = 0; c < cols; c++)
            if (scores(r, c) > biggest) biggest = scores(r, c);
        double total = 0;
        for (Index c = 0; c < cols; c++) {
            e[static_cast<std::size_t>(c)] = std::exp(scores(r, c) - biggest);
            total += e[static_cast<std::size_t>(c)];
        }
        for (Index c = 0; c < cols; c++) out(r, c) = static_cast<float>(e[static_cast<std::size_t>(c)] / total);
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2 || q.size(1) != k.size(1)) throw std::invalid_argument("widths differ");
    const auto root = static_cast<Index>(std::sqrt(q.size(1)));
    Tensor scores = matmul(q, k.transpose(1, 0));
    for (Index r = 0; r < scores.size(0); r++)
        for (Index c = 0; c < scores.size(1); c++) scores(r, c) /= static_cast<float>(root);
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("not a matrix");
    Index width = x.size(1);
    if (w_q.size(0) != width || w_k.size(0) != width || w_v.size(0) != width) throw std::invalid_argument("rows");
    Tensor weights = attention_weights(matmul(x, w_q), matmul(x, w_k));
    Tensor values = matmul(x, w_v);
    Tensor out = Tensor::zeros({x.size(0), values.size(1)});
    for (Index t = 0; t < x.size(0); t++)
        for (Index s = 0; s < x.size(0); s++)
            for (Index j = 0; j < values.size(1); j++) out(t, j) += weights(t, s) * values(s, j);
    return out;
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("shapes differ");
    return x + attended;
}

}  // namespace headway::ex01
