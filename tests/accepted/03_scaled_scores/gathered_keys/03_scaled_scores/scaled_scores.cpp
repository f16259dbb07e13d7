#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <stdexcept>

namespace headway::ex03 {

namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument(what + " does not hold");
}

std::vector<float> row_of(const Tensor& x) {
    std::vector<float> row(static_cast<std::size_t>(x.size(0)));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = x(i);
    return row;
}

std::vector<float> softmax(std::vector<float> row) {
    if (row.empty()) return row;
    const float top = std::ranges::max(row);
    std::ranges::transform(row, row.begin(), [top](float x) { return std::exp(x - top); });
    const float total = std::reduce(row.begin(), row.end());
    std::ranges::for_each(row, [total](float& x) { x /= total; });
    return row;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    require(q.rank() == 4 && k.rank() == 4, "rank 4");
    require(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3), "equal B, H and d");
    std::vector<float> scores;
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t) {
                const auto query = row_of(q[b][h][t]);
                for (Index s = 0; s < k.size(2); ++s) {
                    const auto key = row_of(k[b][h][s]);
                    scores.push_back(std::transform_reduce(query.begin(), query.end(), key.begin(), 0.0F) / root);
                }
            }
    return Tensor::of({q.size(0), q.size(1), q.size(2), k.size(2)}, scores);
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index visible = std::clamp(t + 1 + S - T, Index{0}, S);
        std::ranges::fill_n(mask.data() + t * S + visible, S - visible, true);
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({std::ssize(lengths), 1, 1, S});
    auto* out = mask.data();
    std::ranges::for_each(lengths, [&](Index length) {
        for (Index s = 0; s < S; ++s) *out++ = std::greater_equal<>{}(s, length);
    });
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    require(scores.rank() == 4, "rank 4 of the scores");
    const Mask blocked = mask.defined() ? mask.expand(scores.shape()) : Mask::allow_all(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                std::vector<Index> keys(static_cast<std::size_t>(scores.size(3)));
                std::iota(keys.begin(), keys.end(), Index{0});
                std::erase_if(keys, [&](Index s) { return blocked(b, h, t, s); });
                std::vector<float> gathered;
                std::ranges::transform(keys, std::back_inserter(gathered), [&](Index s) { return scores(b, h, t, s); });
                gathered = softmax(std::move(gathered));
                for (std::size_t i = 0; i < keys.size(); ++i) weights(b, h, t, keys[i]) = gathered[i];
            }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require(k.rank() == 4 && v.rank() == 4, "rank 4");
    require(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2), "equal B, H and S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index s = 0; s < v.size(2); ++s)  // (B, H, T, 1) · (B, H, 1, d_v), one key after the other
        context += weights.slice(3, s, s + 1) * v.slice(2, s, s + 1);
    return {context, weights};
}

}  // namespace headway::ex03
