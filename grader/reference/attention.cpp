#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace headway::reference {
namespace {

std::size_t as_size(Index index) { return static_cast<std::size_t>(index); }

/// Softmax of one row in place; `blocked` says which entries do not exist.
void softmax_row(double* value, double* error, const std::vector<bool>& blocked) {
    const std::size_t count = blocked.size();
    double maximum = -std::numeric_limits<double>::infinity();
    double epsilon = 0;
    double largest = 0;
    for (std::size_t s = 0; s < count; ++s) {
        if (blocked[s]) continue;
        maximum = std::max(maximum, value[s]);
        epsilon = std::max(epsilon, error[s]);
        largest = std::max(largest, std::abs(value[s]));
    }
    epsilon += 2 * unit_roundoff * largest;
    double sum = 0;
    for (std::size_t s = 0; s < count; ++s) {
        value[s] = blocked[s] ? 0 : std::exp(value[s] - maximum);
        sum += value[s];
    }
    const double relative = std::expm1(2 * epsilon) + static_cast<double>(count + 8) * unit_roundoff;
    for (std::size_t s = 0; s < count; ++s) {
        if (sum > 0) value[s] /= sum;
        error[s] = value[s] * relative;
    }
}

}  // namespace

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[as_size(b)];
    return mask;
}

Array scores(const Array& q, const Array& k) {
    return scale(matmul(q, transpose(k, -2, -1)), 1.0 / std::sqrt(static_cast<double>(q.size(-1))));
}

Array masked_softmax(const Array& scores, const Mask& mask) {
    Array weights = scores;
    const auto S = as_size(scores.size(-1));
    const Mask wide = (mask.defined() ? mask.expand(scores.shape) : Mask::allow_all(scores.shape)).clone();
    for (std::size_t row = 0; row * S < weights.value.size(); ++row) {
        const bool* begin = wide.data() + row * S;
        softmax_row(&weights.value[row * S], &weights.error[row * S], std::vector<bool>(begin, begin + S));
    }
    return weights;
}

Attended attention(const Array& q, const Array& k, const Array& v, const Mask& mask) {
    Array weights = masked_softmax(scores(q, k), mask);
    return {matmul(weights, v), weights};
}

Array split_heads(const Array& x, Index num_heads) {
    return transpose(reshape(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

Array merge_heads(const Array& context) {
    const Array tokens = transpose(context, 1, 2);
    return reshape(tokens, {tokens.size(0), tokens.size(1), tokens.size(2) * tokens.size(3)});
}

}  // namespace headway::reference
