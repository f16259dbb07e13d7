#include <scaled_scores.hpp>

#include "attention_steps.hpp"
#include "mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

// Exercise 03 with the mistakes that are chosen.
namespace headway::ex03 {
namespace {

using combinations::made;
using combinations::Mistake;

void need(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_queries_and_keys(const Tensor& q, const Tensor& k) {
    need(q.rank() == 4 && k.rank() == 4, "q and k have four axes");
    need(q.size(0) == k.size(0) && q.size(1) == k.size(1), "q and k differ in batch or heads");
    if (!made(Mistake::widths_unchecked)) need(q.size(3) == k.size(3), "q and k differ in width");
}

/// Whether query t may not attend to key s, with S - T keys before the first query.
bool is_future(Index t, Index s, Index T, Index S) {
    if (made(Mistake::causal_diagonal_blocked)) return s >= t + (S - T);
    if (made(Mistake::causal_one_ahead)) return s > t + 1 + (S - T);
    if (made(Mistake::causal_past_blocked)) return s < t + (S - T);
    if (made(Mistake::causal_top_left)) return s > t;
    if (made(Mistake::causal_offset_negated)) return s > t + (T - S);
    return s > t + (S - T);
}

/// Whether key s is padding, in a sequence of this length.
bool is_padding(Index s, Index length, Index S) {
    if (made(Mistake::padding_one_too_many)) return s > length;
    if (made(Mistake::padding_one_too_few)) return s >= length - 1;
    if (made(Mistake::padding_at_the_front)) return s < S - length;
    return s >= length;
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    check_queries_and_keys(q, k);
    const Index heads = q.size(1);
    const Index d = q.size(3);
    const float divisor = combinations::score_divisor({.batch = q.size(0),
                                                       .model = heads * d,
                                                       .heads = heads,
                                                       .head_dim = d,
                                                       .queries = q.size(2),
                                                       .keys = k.size(2)});
    return combinations::products(q, k) / divisor;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            mask(t, s) = is_future(t, s, T, S);
            if (made(Mistake::causal_true_means_may_attend)) mask(t, s) = !mask(t, s);
        }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    const bool on_queries = made(Mistake::padding_on_query_axis);
    Mask mask = Mask::allow_all(on_queries ? Shape{B, 1, S, 1} : Shape{B, 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        Index length = lengths[b];
        need(0 <= length && length <= S, "padding_mask: a length lies outside [0, S]");
        if (made(Mistake::padding_first_length)) length = lengths[0];
        if (made(Mistake::padding_longest_length)) length = *std::max_element(lengths.begin(), lengths.end());
        for (Index s = 0; s < S; ++s) {
            bool& blocked = on_queries ? mask(b, 0, s, 0) : mask(b, 0, 0, s);
            blocked = is_padding(s, length, S) != made(Mistake::padding_inverted);
        }
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    need(scores.rank() == 4, "masked_softmax: scores have four axes");
    const Tensor read = made(Mistake::strides_ignored) ? combinations::read_as_contiguous(scores) : scores;
    Tensor weights = combinations::masked_weights(read, mask);
    if (!made(Mistake::scores_overwritten)) return weights;
    Tensor overwritten = scores;
    overwritten.copy_from(weights);
    return overwritten;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check_queries_and_keys(q, k);
    need(v.rank() == 4, "v has four axes");
    need(v.size(0) == k.size(0) && v.size(1) == k.size(1), "k and v differ in batch or heads");
    need(v.size(2) == k.size(2), "k and v differ in length");

    const float root_of_width = std::sqrt(static_cast<float>(q.size(3)));
    const float root_of_value_width = std::sqrt(static_cast<float>(v.size(3)));
    const Tensor queries = made(Mistake::scale_twice) ? q / root_of_width : q;
    Tensor scores = attention_scores(queries, k);
    if (made(Mistake::scale_sqrt_value_width)) scores = combinations::products(q, k) / root_of_value_width;

    Tensor weights = masked_softmax(scores, mask);
    if (made(Mistake::softmax_twice)) weights = masked_softmax(weights, mask);
    if (made(Mistake::softmax_again_without_mask)) weights = masked_softmax(weights, {});

    Tensor values = v;
    if (made(Mistake::keys_used_as_values)) values = k;
    if (made(Mistake::queries_used_as_values)) values = q;
    const Tensor context = combinations::weigh(made(Mistake::context_from_scores) ? scores : weights, values);

    if (made(Mistake::weights_returned_before_softmax)) weights = scores;
    if (made(Mistake::returned_weights_averaged)) weights = mean(weights, 1);
    if (made(Mistake::returned_weights_transposed)) weights = weights.transpose(2, 3);
    return {context, weights};
}

}  // namespace headway::ex03
