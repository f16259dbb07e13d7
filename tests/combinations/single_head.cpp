#include <single_head.hpp>

#include "mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

// Exercise 01, in plain loops, with the mistakes that are chosen.
namespace headway::ex01 {
namespace {

using combinations::made;
using combinations::Mistake;

void need(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

float root(Index width) { return std::sqrt(static_cast<float>(width)); }

float exponential(float score) { return made(Mistake::softmax_base_two) ? std::exp2(score) : std::exp(score); }

float largest_in_row(const Tensor& scores, Index t) {
    float largest = made(Mistake::softmax_max_starts_at_zero) ? 0 : -std::numeric_limits<float>::infinity();
    for (Index s = 0; s < scores.size(1); ++s) largest = std::max(largest, scores(t, s));
    return largest;
}

/// What softmax subtracts from row t.
float subtracted(const Tensor& scores, Index t) {
    if (made(Mistake::softmax_max_not_subtracted)) return 0;
    float largest = largest_in_row(scores, t);
    if (made(Mistake::softmax_max_of_everything))
        for (Index other = 0; other < scores.size(0); ++other)
            largest = std::max(largest, largest_in_row(scores, other));
    return largest;
}

Tensor softmax_of_rows(const Tensor& scores) {
    const Index T = scores.size(0);
    const Index S = scores.size(1);
    Tensor weights = Tensor::zeros({T, S});
    for (Index t = 0; t < T; ++t) {
        const float shift = subtracted(scores, t);
        float total = 0;
        for (Index s = 0; s < S; ++s) {
            weights(t, s) = exponential(scores(t, s) - shift);
            const bool last = s == S - 1;
            if (!last || !made(Mistake::softmax_sum_stops_early)) total += weights(t, s);
        }
        if (made(Mistake::softmax_not_normalised)) continue;
        for (Index s = 0; s < S; ++s) weights(t, s) /= total;
    }
    return weights;
}

Tensor softmax_of_matrix(const Tensor& scores) {
    const Tensor one_row = scores.contiguous().view({1, scores.numel()});
    return softmax_of_rows(one_row).view(scores.shape());
}

/// (T, M) · (M, N) -> (T, N)
Tensor product(const Tensor& a, const Tensor& b) {
    need(a.size(1) == b.size(0), "product: the inner sizes differ");
    Tensor result = Tensor::zeros({a.size(0), b.size(1)});
    for (Index i = 0; i < a.size(0); ++i)
        for (Index j = 0; j < b.size(1); ++j)
            for (Index m = 0; m < a.size(1); ++m) result(i, j) += a(i, m) * b(m, j);
    return result;
}

/// q·kᵀ, not scaled.
Tensor products(const Tensor& q, const Tensor& k) {
    const Index d = made(Mistake::last_feature_skipped) ? q.size(1) - 1 : q.size(1);
    Tensor result = Tensor::zeros({q.size(0), k.size(0)});
    for (Index t = 0; t < q.size(0); ++t)
        for (Index s = 0; s < k.size(0); ++s)
            for (Index i = 0; i < d; ++i) result(t, s) += q(t, i) * k(s, i);
    if (made(Mistake::keys_times_queries)) return result.transpose(0, 1).contiguous();
    return result;
}

float score_divisor(const Tensor& q, const Tensor& k) {
    const Index d = q.size(1);
    if (made(Mistake::scale_without_root)) return static_cast<float>(d);
    if (made(Mistake::scale_missing) || made(Mistake::scale_after_softmax)) return 1;
    if (made(Mistake::scale_inverted)) return 1 / root(d);
    if (made(Mistake::scale_sqrt_queries)) return root(q.size(0));
    if (made(Mistake::scale_sqrt_keys)) return root(k.size(0));
    if (made(Mistake::scale_constant_eight)) return 8;
    if (made(Mistake::scale_root_truncated)) {
        const auto whole = static_cast<Index>(std::sqrt(d));
        return static_cast<float>(whole);
    }
    return root(d);
}

/// What attention_weights makes of scores.
Tensor shares(const Tensor& scores, Index d) {
    if (made(Mistake::softmax_missing)) return scores;
    Tensor weights = softmax_rows(scores);
    if (made(Mistake::softmax_twice)) weights = softmax_rows(weights);
    if (made(Mistake::scale_after_softmax)) weights = weights / root(d);
    return weights;
}

void check_widths(const Tensor& q, const Tensor& k) {
    need(q.rank() == 2 && k.rank() == 2, "attention_weights: q and k are matrices");
    if (!made(Mistake::widths_unchecked))
        need(q.size(1) == k.size(1), "attention_weights: the widths of q and k differ");
}

struct Projected {
    Tensor q, k, v;
};

/// x three times, by the weights that belong to q, k and v.
Projected project(const Tensor& x, Tensor w_q, Tensor w_k, Tensor w_v) {
    if (made(Mistake::key_and_value_weights_swapped)) std::swap(w_k, w_v);
    if (made(Mistake::one_weight_for_all)) w_k = w_v = w_q;
    if (made(Mistake::query_and_key_weights_swapped)) std::swap(w_q, w_k);
    if (made(Mistake::key_uses_query_weight)) w_k = w_q;
    if (made(Mistake::query_uses_key_weight)) w_q = w_k;
    Projected p{product(x, w_q), product(x, w_k), product(x, w_v)};
    if (made(Mistake::keys_used_as_values)) p.v = p.k;
    if (made(Mistake::queries_used_as_values)) p.v = p.q;
    if (made(Mistake::values_not_projected)) p.v = x;
    return p;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    need(scores.rank() == 2, "softmax_rows: a matrix is needed");
    Tensor read = scores;
    if (made(Mistake::strides_ignored))
        read = scores.as_strided(scores.shape(), Layout::contiguous(scores.shape()).strides);

    Tensor weights;
    if (made(Mistake::softmax_over_queries))
        weights = softmax_of_rows(read.transpose(0, 1)).transpose(0, 1).contiguous();
    else if (made(Mistake::softmax_over_whole_matrix))
        weights = softmax_of_matrix(read);
    else
        weights = softmax_of_rows(read);

    if (!made(Mistake::scores_overwritten)) return weights;
    Tensor overwritten = scores;
    overwritten.copy_from(weights);
    return overwritten;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    check_widths(q, k);
    return shares(products(q, k) / score_divisor(q, k), q.size(1));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    need(x.rank() == 2, "single_head_attention: x is a matrix");
    for (const Tensor& w : {w_q, w_k, w_v})
        need(w.rank() == 2 && w.size(0) == x.size(1),
             "single_head_attention: a weight needs a row for each feature of x");
    need(w_q.size(1) == w_k.size(1), "single_head_attention: w_q and w_k differ in width");

    const auto [q, k, v] = project(x, w_q, w_k, w_v);
    check_widths(q, k);

    // Who scales here writes the formula out; everybody else calls attention_weights, which scales.
    float divisor = score_divisor(q, k);
    if (made(Mistake::scale_sqrt_model_width)) divisor = root(x.size(1));
    if (made(Mistake::scale_sqrt_value_width)) divisor = root(v.size(1));
    if (made(Mistake::scale_twice)) divisor = root(q.size(1)) * root(q.size(1));
    const Tensor scores = products(q, k) / divisor;
    Tensor gathered = shares(scores, q.size(1));
    if (made(Mistake::context_from_scores)) gathered = scores;
    if (made(Mistake::context_weights_transposed)) gathered = gathered.transpose(0, 1);
    return product(gathered, v);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    need(x.defined() && attended.defined() && x.shape() == attended.shape(), "with_residual: the shapes differ");
    if (made(Mistake::residual_replaced)) return attended;
    Tensor sum = x + attended;
    if (made(Mistake::residual_twice)) sum = sum + x;
    if (made(Mistake::residual_attended_twice)) sum = attended + attended;
    if (made(Mistake::residual_averaged)) sum = sum / 2;
    if (made(Mistake::residual_written_into_input)) {
        Tensor result = x;
        result.copy_from(sum);
        return result;
    }
    return sum;
}

}  // namespace headway::ex01
