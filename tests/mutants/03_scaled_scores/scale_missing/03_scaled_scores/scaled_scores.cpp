#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

using Row = std::vector<float>;
using Matrix = std::vector<Row>;

/// One head of one sequence, copied out of the tensor so that plain vectors can be used.
Matrix copy_head(const Tensor& x, Index b, Index h) {
    Matrix rows(static_cast<std::size_t>(x.size(2)), Row(static_cast<std::size_t>(x.size(3))));
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < rows[r].size(); ++c) rows[r][c] = x(b, h, r, c);
    return rows;
}

void paste_head(Tensor& x, Index b, Index h, const Matrix& rows) {
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < rows[r].size(); ++c) x(b, h, r, c) = rows[r][c];
}

float dot(const Row& a, const Row& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return static_cast<float>(sum);
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("q and k: (B, H, length, d)");
    if (q.size(0) != k.size(0)) throw std::invalid_argument("attention_scores: different batch sizes");
    if (q.size(1) != k.size(1)) throw std::invalid_argument("attention_scores: different numbers of heads");
    if (q.size(3) != k.size(3)) throw std::invalid_argument("attention_scores: different widths");
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index b = 0; b < q.size(0); ++b) {
        for (Index h = 0; h < q.size(1); ++h) {
            const Matrix queries = copy_head(q, b, h);
            const Matrix keys = copy_head(k, b, h);
            Matrix result;
            for (const Row& query : queries) {
                Row line;
                for (const Row& key : keys) line.push_back(dot(query, key));
                result.push_back(line);
            }
            paste_head(scores, b, h, result);
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    const Index history = S - T;
    Mask mask = Mask::allow_all({T, S});
    for (Index query = 0; query < T; ++query)
        for (Index key = 0; key < S; ++key) mask(query, key) = key > history + query;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < std::min(lengths[b], S); ++s) mask(b, 0, 0, s) = false;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Mask blocked = Mask::allow_all(scores.shape()) | mask;
    if (blocked.shape() != scores.shape()) throw std::invalid_argument("masked_softmax: the mask is too large");
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            Matrix rows = copy_head(scores, b, h);
            for (std::size_t t = 0; t < rows.size(); ++t) {
                Row open;
                for (std::size_t s = 0; s < rows[t].size(); ++s)
                    if (!blocked(b, h, t, s)) open.push_back(rows[t][s]);
                const float top = open.empty() ? 0.0F : *std::max_element(open.begin(), open.end());
                float total = 0.0F;
                for (const float score : open) total += std::exp(score - top);
                for (std::size_t s = 0; s < rows[t].size(); ++s)
                    rows[t][s] = blocked(b, h, t, s) ? 0.0F : std::exp(rows[t][s] - top) / total;
            }
            paste_head(weights, b, h, rows);
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k and v differ");
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < q.size(0); ++b) {
        for (Index h = 0; h < q.size(1); ++h) {
            const Matrix values = copy_head(v, b, h);
            Matrix gathered(static_cast<std::size_t>(q.size(2)), Row(static_cast<std::size_t>(v.size(3)), 0.0F));
            for (std::size_t t = 0; t < gathered.size(); ++t)
                for (std::size_t s = 0; s < values.size(); ++s)
                    for (std::size_t j = 0; j < values[s].size(); ++j)
                        gathered[t][j] += weights(b, h, t, s) * values[s][j];
            paste_head(context, b, h, gathered);
        }
    }
    return {context, weights};
}

}  // namespace headway::ex03
