// How queries are compared with keys.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::reshape;
using reference::transpose;

/// q and k with only the features below `width`.
Array narrowed(const Array& x, Index width) {
    Shape shape = x.shape;
    shape.back() = std::min(width, shape.back());
    return gathered(x, shape, [&](Coordinate at) { return position(x.shape, at); });
}

/// Split heads whose sequence b is sequence b + 1, and the last one the first; x itself where heads are not split.
Array of_next_sequence(const Array& x) {
    if (x.shape.size() != 4) return x;
    return gathered(x, x.shape, [&](Coordinate at) {
        const Index from[] = {(at[batch_axis] + 1) % x.size(0), at[1], at[2], at[3]};
        return position(x.shape, from);
    });
}

/// Scores of one sum over features each: `add` takes the sum so far and a feature of q and of k to the next sum. Sums
/// do not know their rounding: who needs a bound sets it.
Array summed(const Array& q, const Array& k, double (*add)(double sum, double q, double k)) {
    Array s = matmul(q, transpose(k, -2, -1));
    const auto d = static_cast<std::size_t>(q.size(-1));
    const auto T = static_cast<std::size_t>(q.size(-2));
    const auto S = static_cast<std::size_t>(k.size(-2));
    for (std::size_t i = 0; i < s.value.size(); ++i) {
        const double* query = &q.value[i / S * d];
        const double* key = &k.value[(i / (T * S) * S + i % S) * d];
        double sum = 0;
        for (std::size_t f = 0; f < d; ++f) sum = add(sum, query[f], key[f]);
        s.value[i] = sum;
        s.error[i] = 0;
    }
    return s;
}

}  // namespace

Chapter chapters::scoring() {
    static constexpr Decision decisions[] = {
        {.id = "scores",
         .stage = Stage::scores,
         .lesson = {{"01", "As a formula"}, {"03", "Which width is being summed?"}},
         .pseudocode = "scores[b,h,t,s] = sum over i = 0..d-1 of q[b,h,t,i] · k[b,h,s,i]"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "keys_viewed_not_transposed",
         .decision = "scores",
         .title = "keys are viewed as (d, S) instead of transposed",
         .right = "k.transpose(-2, -1): a view keeps the order of the numbers",
         .symptom = "all shapes fit, all numbers are wrong",
         .question = "Do you turn k by view or by transpose?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     Shape shape = k.shape;
                     std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
                     return matmul(q, reshape(k, shape));
                 };
             }},
        {.id = "keys_not_transposed",
         .decision = "scores",
         .title = "keys are not transposed: the product is q · k",
         .right = "q · kᵀ: matmul(q, k.transpose(-2, -1))",
         .symptom = "matmul refuses, unless there happen to be as many keys as features: then all numbers are wrong",
         .question = "Which axes does q · k sum over, and which should it?",
         .make = [](Choices& c) { c.scoring.product = [](const Array& q, const Array& k) { return matmul(q, k); }; }},
        {.id = "scores_keys_by_queries",
         .decision = "scores",
         .title = "scores come as (keys, queries) instead of (queries, keys)",
         .right = "q · kᵀ: one row a query",
         .symptom = "all shapes fit in self-attention",
         .question = "Which of q and k gives the rows of your scores?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) { return matmul(k, transpose(q, -2, -1)); };
             }},
        {.id = "keys_of_first_head",
         .decision = "scores",
         .title = "every head reads the keys of head 0",
         .right = "head h compares its own q with its own k",
         .symptom = "heads become more alike; nothing crashes",
         .question = "Which head index does k have in your loop?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     return matmul(q, transpose(entry_zero_everywhere(k, heads_axis), -2, -1));
                 };
             }},
        {.id = "keys_of_first_sequence",
         .decision = "scores",
         .title = "every sequence reads the keys of sequence 0",
         .right = "sequence b compares its own q with its own k",
         .symptom = "right with batch 1",
         .question = "Which batch index does k have in your loop?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     return matmul(q, transpose(entry_zero_everywhere(k, batch_axis), -2, -1));
                 };
             }},
        {.id = "keys_of_next_sequence",
         .decision = "scores",
         .title = "every sequence reads the keys of the next one in the batch, the last those of sequence 0",
         .right = "sequence b compares its own q with its own k",
         .symptom = "right with batch 1",
         .question = "Which batch index does k have in your loop?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     return matmul(q, transpose(of_next_sequence(k), -2, -1));
                 };
             }},
        {.id = "last_feature_dropped",
         .decision = "scores",
         .title = "the sum over features stops one too early",
         .right = "sum over all features, i = 0..d-1",
         .symptom = "each score misses one product; nothing crashes",
         .question = "What is the last index of your innermost loop?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     return matmul(narrowed(q, q.size(-1) - 1), transpose(narrowed(k, k.size(-1) - 1), -2, -1));
                 };
             }},
        {.id = "sum_cut_to_integer",
         .decision = "scores",
         .title = "the sum of products lives in an int: every step is cut to an integer",
         .right = "sum in a float: std::inner_product(..., 0.0F)",
         .symptom = "scores are whole numbers; nothing crashes",
         .question = "What is the type of the value that your sum starts from?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     return summed(q, k, [](double sum, double a, double b) { return std::trunc(sum + a * b); });
                 };
             }},
        {.id = "keys_counted_as_queries",
         .decision = "scores",
         .title = "there are taken to be as many keys as queries: the scores are (T, T)",
         .right = "scores are (T, S), with S from k",
         .symptom = "right in self-attention; else keys are lost or memory is misread",
         .question = "Where does the bound of your loop over keys come from?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     if (k.size(-2) < q.size(-2)) throw std::out_of_range("keys");
                     Shape shape = k.shape;
                     shape[shape.size() - 2] = q.size(-2);
                     const Array first = gathered(k, shape, [&](Coordinate at) { return position(k.shape, at); });
                     return matmul(q, transpose(first, -2, -1));
                 };
             }},
        {.id = "features_in_fours",
         .decision = "scores",
         .title = "the sum over features is unrolled by four and loses the last d % 4",
         .right = "sum over all features, i = 0..d-1",
         .symptom = "right where head_dim is a multiple of four",
         .question = "What happens to the features after the last whole group?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     const Index width = q.size(-1) / 4 * 4;
                     return matmul(narrowed(q, width), transpose(narrowed(k, width), -2, -1));
                 };
             }},
        {.id = "cosine_scores",
         .decision = "scores",
         .title = "scores are cosines: q and k are normalised first",
         .right = "scores are plain dot products",
         .symptom = "scores never exceed 1, so softmax stays flat",
         .question = "Are your scores bounded?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     const auto unit = [](const Array& x) {
                         Array y = x;
                         const auto d = static_cast<std::size_t>(x.size(-1));
                         for (std::size_t row = 0; row < y.value.size(); row += d) {
                             double squares = 0;
                             for (std::size_t i = 0; i < d; ++i) squares += x.value[row + i] * x.value[row + i];
                             for (std::size_t i = 0; i < d; ++i) {
                                 y.value[row + i] /= std::sqrt(squares);
                                 y.error[row + i] = std::abs(y.value[row + i]) * 16 * reference::unit_roundoff;
                             }
                         }
                         return y;
                     };
                     return matmul(unit(q), transpose(unit(k), -2, -1));
                 };
             }},
        {.id = "negative_distance_scores",
         .decision = "scores",
         .title = "scores are negative squared distances of q and k",
         .right = "scores are dot products",
         .symptom = "long keys are ignored; nothing crashes",
         .question = "What is the score of a key that is twice your query?",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     Array s = summed(q, k, [](double sum, double a, double b) { return sum - (a - b) * (a - b); });
                     const double roundings = static_cast<double>(q.size(-1) + 8);
                     for (std::size_t i = 0; i < s.value.size(); ++i)
                         s.error[i] = std::abs(s.value[i]) * roundings * reference::unit_roundoff;
                     return s;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
