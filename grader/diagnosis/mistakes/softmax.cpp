// How scores become weights.
#include "diagnosis/catalogue.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headway::diagnosis {
namespace {

using reference::scale;

DECISION(.id = "softmax_axis", .stage = "softmax",
         .lesson = {{"01", "As a formula"}, {"03", "Masks: which keys do not exist"}},
         .pseudocode =
             "for each (b, h, t): the weights over s = 0..S-1 sum to 1: reduce over the last axis of (B,H,T,S)");

MISTAKE(
        .id = "softmax_over_queries", .decision = "softmax_axis",
        .title = "softmax runs over the queries: columns sum to 1, not rows",
        .right = "it should run over the keys: the weights of one query sum to 1",
        .symptom = "keys compete for queries; the shapes are the same, so nothing crashes",
        .question = "Add up your weights along each axis: which sums are 1?",
        .make = [](Choices& c) { c.softmaxing.together = Together::queries; });

MISTAKE(
        .id = "softmax_over_heads", .decision = "softmax_axis", .title = "softmax runs over the heads",
        .right = "it should run over the keys, in each head by itself",
        .symptom = "heads compete with one another; nothing crashes",
        .question = "Add up your weights along each axis: which sums are 1?",
        .make = [](Choices& c) { c.softmaxing.together = Together::heads; });

MISTAKE(
        .id = "softmax_over_batch", .decision = "softmax_axis", .title = "softmax runs over the batch",
        .right = "it should run over the keys, in each sequence by itself",
        .symptom = "sequences of a batch influence one another",
        .question = "Add up your weights along each axis: which sums are 1?",
        .make = [](Choices& c) { c.softmaxing.together = Together::batch; });

MISTAKE(
        .id = "softmax_over_matrix", .decision = "softmax_axis",
        .title = "softmax runs over all queries and keys at once: the matrix sums to 1, not each row",
        .right = "each query's weights should sum to 1", .symptom = "outputs shrink as the sequence gets longer",
        .question = "What do the weights of one query add up to?",
        .make = [](Choices& c) { c.softmaxing.together = Together::queries_and_keys; });

MISTAKE(
        .id = "softmax_over_everything", .decision = "softmax_axis",
        .title = "softmax runs over the whole tensor: everything together sums to 1",
        .right = "each query's weights should sum to 1", .symptom = "outputs shrink with batch, heads and length",
        .question = "What do the weights of one query add up to?",
        .make = [](Choices& c) { c.softmaxing.together = Together::everything; });

MISTAKE(
        .id = "softmax_over_heads_and_keys", .decision = "softmax_axis",
        .title = "softmax runs over heads and keys together",
        .right = "each query's weights should sum to 1 in every head", .symptom = "heads compete with one another",
        .question = "What do the weights of one query in one head add up to?",
        .make = [](Choices& c) { c.softmaxing.together = Together::heads_and_keys; });

DECISION(.id = "softmax_shift", .stage = "softmax", .lesson = {{"01", "Softmax without overflow"}},
         .pseudocode = "m (…,T,1) = maximum over keys; e (…,T,S) = exp(scores − m); weights = e / sum of e over keys");

MISTAKE(
        .id = "softmax_without_maximum", .decision = "softmax_shift",
        .title = "no maximum is subtracted before exp: large scores overflow to inf / inf = NaN",
        .right = "subtract each row's maximum first", .symptom = "right for small scores; one score above 88 gives NaN",
        .question = "What is exp(100) in float32?",
        .make = [](Choices& c) { c.softmaxing.shift = [](const Row&) { return 0.0; }; });

MISTAKE(
        .id = "softmax_shift_of_everything", .decision = "softmax_shift",
        .title = "the maximum of the whole tensor is subtracted: rows far below it become 0 / 0 = NaN",
        .right = "subtract each row's own maximum", .symptom = "right until rows differ by more than about 100",
        .question = "What is exp(-200) in float32, and what is 0 / 0?",
        .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return row.largest_of_all; }; });

MISTAKE(
        .id = "softmax_shift_of_all_open", .decision = "softmax_shift",
        .title =
            "the maximum of all open scores of the whole tensor is subtracted: rows far below it become 0 / 0 = NaN",
        .right = "subtract each row's own maximum", .symptom = "right until rows differ by more than about 100",
        .question = "What is exp(-200) in float32, and what is 0 / 0?",
        .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return row.largest_open; }; });

MISTAKE(
        .id = "softmax_maximum_from_zero", .decision = "softmax_shift",
        .title =
            "the running maximum starts at 0 (or at the smallest positive float): rows of very negative scores vanish",
        .right = "start it at -infinity, or at the row's first score",
        .symptom = "right unless every score of a row is below about -100; then 0 / 0",
        .question = "What is your running maximum before it has seen a score?",
        .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return std::max(0.0, row.maximum()); }; });

MISTAKE(
        .id = "softmax_maximum_from_minus_thousand", .decision = "softmax_shift",
        .title = "the running maximum starts at a finite number, such as -1000: rows that lie wholly below vanish",
        .right = "start it at -infinity, or at the row's first score",
        .symptom = "right unless every score of a row is very negative; then 0 / 0 = NaN",
        .question = "What is your running maximum before it has seen a score?", .make = [](Choices& c) {
            c.softmaxing.shift = [](const Row& row) { return std::max(-1000.0, row.maximum()); };
        });

MISTAKE(
        .id = "softmax_maximum_of_blocked", .decision = "softmax_shift",
        .title = "the row's maximum is taken over blocked keys too: a large blocked score makes the open ones vanish",
        .right = "take the maximum over the keys that may be seen",
        .symptom = "right until a blocked score is much larger than the open ones",
        .question = "Is the maximum taken before or after blocked scores are struck out?",
        .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return row.largest_blocked; }; });

MISTAKE(
        .id = "softmax_minimum_subtracted", .decision = "softmax_shift",
        .title = "the row's minimum is subtracted instead of its maximum: large differences overflow",
        .right = "subtract the maximum, so that the largest exponent is 0",
        .symptom = "right for small scores; a spread above 88 gives NaN", .question = "Which exponent is the largest?",
        .make = [](Choices& c) {
            c.softmaxing.shift = [](const Row& row) {
                double least = std::numeric_limits<double>::infinity();
                for (std::size_t i = 0; i < row.score.size(); ++i)
                    if (!row.blocked[i]) least = std::min(least, row.score[i]);
                return least;
            };
        });

DECISION(.id = "softmax_exponential", .stage = "softmax", .lesson = {{"01", "As a formula"}},
         .pseudocode = "weights (…,T,S) = exp(scores) / sum over keys of exp(scores)");

MISTAKE(
        .id = "softmax_base_two", .decision = "softmax_exponential", .title = "2^score stands where e^score should",
        .right = "use exp", .symptom = "softmax is too flat, as if scores were scaled by ln 2",
        .question = "Which base has your power?",
        .make = [](Choices& c) { c.softmaxing.exponential = [](double x) { return std::exp2(x); }; });

MISTAKE(
        .id = "softmax_without_exponential", .decision = "softmax_exponential",
        .title = "scores are divided by their sum without exp",
        .right = "exp makes every weight positive first: exp(score) / Σ exp(score)",
        .symptom = "weights become negative and huge where the sum is near 0", .question = "Can a weight be negative?",
        .make = [](Choices& c) {
            c.softmaxing.exponential = [](double x) { return x; };
            c.softmaxing.shift = [](const Row&) { return 0.0; };
        });

DECISION(.id = "softmax_sum", .stage = "softmax", .lesson = {{"01", "As a formula"}},
         .pseudocode = "for each row: sum = 0; add every exp(score); divide every exp(score) by the sum");

MISTAKE(
        .id = "softmax_not_normalised", .decision = "softmax_sum",
        .title = "the exponentials are not divided by their sum", .right = "divide, so that each row sums to 1",
        .symptom = "outputs grow with the number of keys", .question = "What do your weights add up to?",
        .make = [](Choices& c) { c.softmaxing.denominator = [](double, const Row&) { return 1.0; }; });

MISTAKE(
        .id = "softmax_extra_one", .decision = "softmax_sum",
        .title = "the denominator starts at 1 instead of 0, as if there were one more key",
        .right = "start the sum at 0", .symptom = "weights sum to less than 1, most in rows of few keys",
        .question = "What is the sum before it has seen a score?",
        .make = [](Choices& c) { c.softmaxing.denominator = [](double sum, const Row&) { return sum + 1; }; });

MISTAKE(
        .id = "softmax_sum_stops_early", .decision = "softmax_sum",
        .title = "the sum of the exponentials leaves out the last key", .right = "add up all keys",
        .symptom = "weights sum to more than 1", .question = "What do your weights add up to?", .make = [](Choices& c) {
            c.softmaxing.denominator = [](double, const Row& row) {
                return std::accumulate(row.score.begin(), row.score.end() - 1, 0.0);
            };
        });

MISTAKE(
        .id = "softmax_mean", .decision = "softmax_sum",
        .title = "the exponentials are divided by their mean: rows sum to S", .right = "divide by the sum",
        .symptom = "outputs grow with the number of keys", .question = "What do your weights add up to?",
        .make = [](Choices& c) {
            c.softmaxing.denominator = [](double sum, const Row& row) {
                return sum / static_cast<double>(row.score.size());
            };
        });

MISTAKE(
        .id = "softmax_by_euclidean_norm", .decision = "softmax_sum",
        .title = "the exponentials are divided by the root of the sum of their squares", .right = "divide by their sum",
        .symptom = "rows sum to more than 1", .question = "What do your weights add up to?", .make = [](Choices& c) {
            c.softmaxing.denominator = [](double, const Row& row) {
                double squares = 0;
                for (const double e : row.score) squares += e * e;
                return std::sqrt(squares);
            };
        });

DECISION(.id = "softmax_rows", .stage = "softmax", .lesson = {{"01", "As a formula"}},
         .pseudocode = "for each row: maximum = -infinity; sum = 0; … : both begin anew with every row");

MISTAKE(
        .id = "softmax_sum_kept_between_rows", .decision = "softmax_rows",
        .title = "the sum is not set back to 0 for each row: later rows sum to less than 1",
        .right = "begin the sum anew with every row", .symptom = "the first row is right, each later one weaker",
        .question = "Where is the variable of your sum declared: outside or inside the loop over rows?",
        .make = [](Choices& c) { c.softmaxing.carry = Carry::sum; });

MISTAKE(
        .id = "softmax_maximum_kept_between_rows", .decision = "softmax_rows",
        .title = "the running maximum is not started anew for each row: rows far below an earlier one vanish",
        .right = "begin the maximum anew with every row", .symptom = "right until rows differ by more than about 100",
        .question = "Where is the variable of your maximum declared: outside or inside the loop over rows?",
        .make = [](Choices& c) { c.softmaxing.carry = Carry::maximum; });

DECISION(.id = "softmax_times", .stage = "softmax", .lesson = {{"01", "As a formula"}},
         .pseudocode = "scores → softmax → weights → weights · v: softmax once");

MISTAKE(
        .id = "softmax_twice", .decision = "softmax_times", .title = "softmax is applied twice",
        .right = "apply it once: what comes out of it are weights already",
        .symptom = "weights become almost uniform; nothing crashes",
        .question = "Which functions on the way call softmax?", .make = [](Choices& c) { c.softmaxing.times = 2; });

MISTAKE(
        .id = "softmax_missing", .decision = "softmax_times", .title = "softmax is missing: scores are used as weights",
        .right = "softmax turns the scores of a query into weights that sum to 1",
        .symptom = "outputs are unbounded, and may be negative mixtures", .question = "What do your weights add up to?",
        .make = [](Choices& c) { c.softmaxing.times = 0; });

DECISION(.id = "weights_finish", .stage = "softmax", .lesson = {{"01", "Why divide by √d?"}},
         .pseudocode = "weights = softmax(q·kᵀ / √d); nothing more is done to them before they meet v");

MISTAKE(
        .id = "scale_after_softmax", .decision = "weights_finish",
        .title = "the weights are divided by √head_dim after softmax",
        .right = "scale the scores before softmax; weights sum to 1",
        .symptom = "rows sum to 1/√head_dim, so outputs are too small", .question = "What do your weights add up to?",
        .make = [](Choices& c) {
            c.scoring.factor = [](const Widths&) { return 1.0; };
            c.softmaxing.finish = [](const Array& weights, const Widths& w) {
                return scale(weights, 1 / std::sqrt(static_cast<double>(w.d)));
            };
        });

// Without masks that is the same as applying it twice.
DECISION(.id = "softmax_again", .stage = "softmax", .lesson = {{"03", "Masks: which keys do not exist"}},
         .pseudocode = "scores → softmax → weights → weights · v: softmax once");

MISTAKE(
        .id = "softmax_again_without_mask", .decision = "softmax_again",
        .title = "softmax is applied once more to the weights, without the mask",
        .right = "weights are normalised already", .symptom = "blocked keys get a weight again",
        .question = "Which functions on the way call softmax?", .make = [](Choices& c) {
            c.softmaxing.finish = [](const Array& weights, const Widths&) {
                return reference::masked_softmax(weights, Mask{});
            };
        });

MISTAKE(
        .id = "weights_rescaled", .decision = "weights_finish",
        .title = "the weights are divided by √head_dim, as the scores were before",
        .right = "scale the scores only; weights sum to 1", .symptom = "outputs are too small by √head_dim",
        .question = "What do your weights add up to?", .make = [](Choices& c) {
            c.softmaxing.finish = [](const Array& weights, const Widths& w) {
                return scale(weights, 1 / std::sqrt(static_cast<double>(w.d)));
            };
        });

MISTAKE(
        .id = "only_the_best_key", .decision = "weights_finish",
        .title = "each query takes its best key alone instead of a weighted sum",
        .right = "keep the weights: softmax is a soft maximum", .symptom = "works, but has no gradient to learn from",
        .question = "How many keys contribute to one output?", .make = [](Choices& c) {
            c.softmaxing.finish = [](const Array& weights, const Widths&) {
                Array hard = weights;
                const auto S = static_cast<std::size_t>(weights.size(-1));
                for (std::size_t row = 0; row < hard.value.size(); row += S) {
                    const auto begin = weights.value.begin() + static_cast<std::ptrdiff_t>(row);
                    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(S));
                    for (std::size_t s = 0; s < S; ++s) {
                        hard.value[row + s] = *best > 0 && begin + static_cast<std::ptrdiff_t>(s) == best ? 1 : 0;
                        hard.error[row + s] = 0;
                    }
                }
                return hard;
            };
        });

MISTAKE(
        .id = "weights_averaged_over_heads", .decision = "weights_finish",
        .title = "the weights are averaged over the heads, and every head uses the average",
        .right = "each head has its own weights", .symptom = "many heads learn no more than one",
        .question = "Do two heads of your module ever differ in their weights?", .make = [](Choices& c) {
            c.softmaxing.finish = [](const Array& weights, const Widths&) {
                if (weights.shape.size() != 4) return weights;
                Array mean = weights;
                const auto H = static_cast<std::size_t>(weights.size(1));
                const auto matrix = static_cast<std::size_t>(weights.size(2) * weights.size(3));
                for (std::size_t i = 0; i < mean.value.size(); ++i) {
                    const std::size_t first = i / (H * matrix) * H * matrix + i % matrix;
                    double sum = 0;
                    double error = 0;
                    for (std::size_t h = 0; h < H; ++h) {
                        sum += weights.value[first + h * matrix];
                        error += weights.error[first + h * matrix];
                    }
                    mean.value[i] = sum / static_cast<double>(H);
                    mean.error[i] = error;
                }
                return mean;
            };
        });

}  // namespace
}  // namespace headway::diagnosis
