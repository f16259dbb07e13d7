#include "single_head.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace headway::ex01 {

Tensor softmax_rows(const Tensor& scores) {
    if (scores.rank() != 2) throw std::invalid_argument("softmax_rows: scores must be a matrix");
    Tensor z = scores - max(scores, 1, KeepAxis::yes);
    Tensor log_z = log(sum(exp(z), 1, KeepAxis::yes));
    return exp(z - log_z);
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    if (q.rank() != 2 || k.rank() != 2) throw std::invalid_argument("attention_weights: q and k must be matrices");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_weights: q and k must be of equal width");
    const Tensor queries = q.contiguous();
    const Tensor keys = k.contiguous();
    const Index d = queries.size(1);
    std::vector<float> scores;
    for (Index t = 0; t < queries.size(0); ++t) {
        const float* query = queries[t].data();
        for (Index s = 0; s < keys.size(0); ++s)
            scores.push_back(static_cast<float>(std::inner_product(query, query + d, keys[s].data(), 0)) /
                             std::sqrt(static_cast<float>(d)));
    }
    return softmax_rows(Tensor::of({queries.size(0), keys.size(0)}, scores));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    if (x.rank() != 2 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2)
        throw std::invalid_argument("single_head_attention: matrices only");
    const bool fits = w_q.size(0) == x.size(1) && w_k.size(0) == x.size(1) && w_v.size(0) == x.size(1);
    if (!fits) throw std::invalid_argument("single_head_attention: D of x and of the weights differs");
    return matmul(attention_weights(matmul(x, w_q), matmul(x, w_k)), matmul(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    if (x.shape() != attended.shape()) throw std::invalid_argument("with_residual: shapes must be equal");
    return x + attended;
}

}  // namespace headway::ex01
