// Sums in sixteen bits, and softmax in half.
#include "suites/12_small_numbers/sixteen.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* by_turns = "total = rounded(total + x[i]), from the first number to the last";
constexpr const char* right_steps = "s = r(scores), e = r(exp(r(s - max s))), weights = r(e / total)";
constexpr const char* right_total = "the total is sum_in half for Total::in_half, and a float for Total::in_float";
constexpr const char* no_key = "where every key is blocked, all weights are 0";
constexpr const char* better = "better than what a processor does in half";

template <Halves::Order order>
void sums_by(Choices& c) {
    c.change<Halves>().order = order;
}
template <bool Halves::*step, bool value>
void steps(Choices& c) {
    c.change<Halves>().*step = value;
}
template <Halves::Largest largest>
void subtracts(Choices& c) {
    c.change<Halves>().largest = largest;
}
template <Halves::KeptTotal kept>
void keeps(Choices& c) {
    c.change<Halves>().total = kept;
}
template <Halves::EmptyRow row>
void leaves(Choices& c) {
    c.change<Halves>().empty_row = row;
}

}  // namespace

namespace chapters {

Chapter half_softmax() {
    static constexpr Decision decisions[] = {
        {.id = "half_sums",
         .stage = Stage::none,
         .lesson = {{"12", "Sums that stop"}},
         .pseudocode = "total = 0;  for i = 0, 1, ...: total = rounded(total + x[..., i])"},
        {.id = "half_sum_shape",
         .stage = Stage::none,
         .lesson = {{"12", in_the_header}},
         .pseudocode = "Tensor::zeros of (..., 1), one total per row"},
        {.id = "half_steps",
         .stage = Stage::softmax,
         .lesson = {{"12", "Exponentials that overflow"}},
         .pseudocode = "s = r(scores);  e = r(exp(r(s - max s)));  weights = r(e / total)"},
        {.id = "half_total",
         .stage = Stage::softmax,
         .lesson = {{"12", "Sums that stop"}},
         .pseudocode = "total = in_half ? sum_in(e, half) : Σ e in float, unrounded"},
        {.id = "half_empty_rows",
         .stage = Stage::softmax,
         .lesson = {{"12", "Masks that do not fit"}},
         .pseudocode = "where max s = -infinity: weights 0; else e / total"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- sums ----
        {.id = "half_sum_rounded_once",
         .decision = "half_sums",
         .title = "the sum is rounded at the end, not each partial sum",
         .right = by_turns,
         .symptom = "better than asked; it does not show where sums in half stop",
         .question = "What is the sum of 3000 ones in half, and why is it not 3000?",
         .make = &sums_by<Halves::Order::once>},
        {.id = "half_sum_not_rounded",
         .decision = "half_sums",
         .title = "sums are not rounded at all",
         .right = by_turns,
         .symptom = "better than asked; it does not show where sums in half stop",
         .question = "What is the sum of 3000 ones in half, and why is it not 3000?",
         .make = &sums_by<Halves::Order::never>},
        {.id = "half_sum_drops_the_axis",
         .decision = "half_sum_shape",
         .title = "the axis that is summed is gone: (..., n) becomes (...), not (..., 1)",
         .right = "the last axis stays, with size 1: then e / total broadcasts along it",
         .symptom = "the sums are right; e / total is refused, or divides by another row's total",
         .question = "Which shape do the sums of (4, 3) numbers have, and to which do they broadcast?",
         .make = [](Choices& c) { c.change<Halves>().drops_the_axis = true; }},
        {.id = "half_sum_from_the_end",
         .decision = "half_sums",
         .title = "the sum begins with the last number",
         .right = by_turns,
         .symptom = "right to a few digits; another order rounds otherwise",
         .question = "Which number do you add first?",
         .make = &sums_by<Halves::Order::from_the_end>},
        {.id = "half_sum_of_halves",
         .decision = "half_sums",
         .title = "the sum of the first half is added to the sum of the second, and so on within these",
         .right = by_turns,
         .symptom = "better than asked; it does not show where sums in half stop",
         .question = "What is the sum of 3000 ones in half, one after the other?",
         .make = &sums_by<Halves::Order::halves>},
        {.id = "half_sum_of_neighbours",
         .decision = "half_sums",
         .title = "neighbours are added in pairs, then pairs of pairs, and so on",
         .right = by_turns,
         .symptom = "better than asked; it does not show where sums in half stop",
         .question = "What is the sum of 3000 ones in half, one after the other?",
         .make = &sums_by<Halves::Order::neighbours>},
        {.id = "half_sum_goes_on_from_row_to_row",
         .decision = "half_sums",
         .title = "a row's total begins where that of the row before it ended, not at 0",
         .right = by_turns,
         .symptom = "right for the first row",
         .question = "Where in your loops does the total become 0?",
         .make = [](Choices& c) { c.change<Halves>().goes_on_from_row_to_row = true; }},
        // ---- softmax ----
        {.id = "half_max_not_subtracted",
         .decision = "half_steps",
         .title = "the largest score is not subtracted before exp",
         .right = right_steps,
         .symptom = "exp overflows in half from a score of 11.1 on: weights are NaN",
         .question = "What is exp(12) in half?",
         .make = &steps<&Halves::subtracts_max, false>},
        {.id = "half_max_from_zero",
         .decision = "half_steps",
         .title = "the search for the largest score begins at 0, so that negative scores never are the largest",
         .right = right_steps,
         .symptom = "rows of large negative scores lose their weights",
         .question = "Which is the largest of -30, -31 and -32, and where does your search begin?",
         .make = &subtracts<Halves::Largest::of_row_and_zero>},
        {.id = "half_max_of_unrounded_scores",
         .decision = "half_steps",
         .title = "the largest is looked for among the scores as they came, not among the rounded ones",
         .right = right_steps,
         .symptom = "the largest score does not become 0, and its exponential not 1",
         .question = "Of which numbers do you take the largest: of the scores, or of r(scores)?",
         .make = &subtracts<Halves::Largest::of_row_unrounded>},
        {.id = "half_max_of_all_rows",
         .decision = "half_steps",
         .title = "the largest score of all rows is subtracted, not the largest of each row",
         .right = right_steps,
         .symptom = "rows of smaller scores lose their digits, and at last their weights",
         .question = "Which scores do you look through for the largest of one row?",
         .make = &subtracts<Halves::Largest::of_all_rows>},
        {.id = "half_scores_not_rounded",
         .decision = "half_steps",
         .title = "scores are not rounded first",
         .right = right_steps,
         .symptom = better,
         .question = "Which numbers does your code subtract the largest from?",
         .make = &steps<&Halves::rounds_scores, false>},
        {.id = "half_difference_not_rounded",
         .decision = "half_steps",
         .title = "the difference s - max s is not rounded",
         .right = right_steps,
         .symptom = better,
         .question = "Is 10.3 - 0.0123 a half?",
         .make = &steps<&Halves::rounds_difference, false>},
        {.id = "half_scores_alone_rounded",
         .decision = "half_steps",
         .title = "only scores and weights are rounded, and nothing between them",
         .right = right_steps,
         .symptom = better,
         .question = "What is rounded after the largest was subtracted, and after exp?",
         .make = [](Choices& c) { c.change<Halves>().rounds_difference = c.change<Halves>().rounds_exp = false; }},
        {.id = "half_exp_not_rounded",
         .decision = "half_steps",
         .title = "exponentials are not rounded",
         .right = right_steps,
         .symptom = better,
         .question = "Which of your numbers would fit into sixteen bits?",
         .make = &steps<&Halves::rounds_exp, false>},
        {.id = "half_weights_not_rounded",
         .decision = "half_steps",
         .title = "weights are not rounded",
         .right = right_steps,
         .symptom = better,
         .question = "Which of your numbers would fit into sixteen bits?",
         .make = &steps<&Halves::rounds_weights, false>},
        {.id = "half_weights_alone_rounded",
         .decision = "half_steps",
         .title = "softmax is computed in float, and only its weights are rounded",
         .right = right_steps,
         .symptom = better,
         .question = "What is rounded before the division?",
         .make =
             [](Choices& c) {
                 Halves& own = c.change<Halves>();
                 own.rounds_scores = own.rounds_difference = own.rounds_exp = false;
             }},
        {.id = "half_weights_by_reciprocal",
         .decision = "half_steps",
         .title = "exponentials are multiplied by a rounded 1 / total",
         .right = right_steps,
         .symptom = "weights are rounded once too often",
         .question = "How often is a weight rounded on its way from e and the total?",
         .make = &steps<&Halves::by_reciprocal, true>},
        {.id = "half_total_always_in_half",
         .decision = "half_total",
         .title = "the total is always kept in half",
         .right = right_total,
         .symptom = "with many keys the total stops, and weights are too large",
         .question = "What is the total of 4096 ones in float?",
         .make = &keeps<Halves::KeptTotal::in_half>},
        {.id = "half_total_always_in_float",
         .decision = "half_total",
         .title = "the total is always kept in float",
         .right = right_total,
         .symptom = better,
         .question = "What is the total of 4096 ones, one after the other in half?",
         .make = &keeps<Halves::KeptTotal::in_float>},
        {.id = "half_totals_exchanged",
         .decision = "half_total",
         .title = "the total is kept in half where float is asked for, and the other way about",
         .right = right_total,
         .symptom = "with many keys weights are too large where they need not be",
         .question = "Which branch belongs to Total::in_half?",
         .make = &keeps<Halves::KeptTotal::exchanged>},
        {.id = "half_total_rounded_once",
         .decision = "half_total",
         .title = "for Total::in_half the total is summed in float and rounded at the end",
         .right = right_total,
         .symptom = better,
         .question = "What is the total of 4096 ones, one after the other in half?",
         .make = &keeps<Halves::KeptTotal::in_float_rounded_once>},
        {.id = "half_total_rounded_in_float_too",
         .decision = "half_total",
         .title = "the total is rounded at the end for Total::in_float, too",
         .right = right_total,
         .symptom = "weights are off by a rounding, in the last digit of a half, where a float should keep it",
         .question = "What is the difference between the two totals once both are rounded?",
         .make = &keeps<Halves::KeptTotal::rounded_at_the_end_too>},
        {.id = "half_empty_rows_not_a_number",
         .decision = "half_empty_rows",
         .title = "where every key is blocked, weights are NaN",
         .right = no_key,
         .symptom = "a row without keys is NaN, and so is all that is computed from it",
         .question = "What is -infinity less -infinity?",
         .make = &leaves<Halves::EmptyRow::not_a_number>},
        {.id = "half_empty_rows_uniform",
         .decision = "half_empty_rows",
         .title = "where every key is blocked, all keys get the same weight",
         .right = "where every key is blocked, all weights are 0; what blocks a key is -infinity, not the lowest "
                  "number, -65,504",
         .symptom = "padding gets the mean of all values",
         .question = "Which score has a blocked key, and which weights a query that sees none?",
         .make = &leaves<Halves::EmptyRow::uniform>},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
