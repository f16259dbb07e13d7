// What blocking does to scores and weights, and to rows that see nothing.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

void fill(Row& row, double weight) { std::fill(row.score.begin(), row.score.end(), weight); }

/// Some look at wholly blocked rows before they do such a thing, and some do not.
void unknown(Row& row) { std::fill(row.error.begin(), row.error.end(), anything); }

/// The row goes on to softmax as if it were open, each score moved by a number first, which rounds it in float32. That
/// the score's own error turns the rounding happens to one in thousands where the step is small, else to nobody.
void go_on(Row& row, double moved_by) {
    for (std::size_t i = 0; i < row.score.size(); ++i) {
        row.score[i] = static_cast<double>(static_cast<float>(row.score[i] + moved_by)) - moved_by;
        row.error[i] = std::abs(moved_by) < 1e6 ? std::abs(moved_by) * reference::unit_roundoff : 0;
    }
    row.blocked.assign(row.blocked.size(), false);
}

/// Rows of weights become 0 where that key of theirs is blocked.
void empty_rows_with(Array& weights, const Blocked& blocked, std::size_t (*key)(std::size_t width)) {
    const auto width = static_cast<std::size_t>(weights.shape.back());
    for (std::size_t row = 0; row < weights.value.size(); row += width) {
        if (!blocked[row + key(width)]) continue;
        for (std::size_t i = row; i < row + width; ++i) weights.value[i] = weights.error[i] = 0;
    }
}

/// Blocked weights become 0, and the others are divided by what is left of their sum and by a small number more, 1e-13
/// or another one: what is predicted has room for all of them.
void renormalise(Array& weights, const Blocked& blocked) {
    constexpr double least_added = 1e-14, most_added = 1e-8, denormal = 1e-20;
    const auto width = static_cast<std::size_t>(weights.shape.back());
    for (std::size_t row = 0; row < weights.value.size(); row += width) {
        double left = 0;
        for (std::size_t i = row; i < row + width; ++i) {
            if (blocked[i]) weights.value[i] = weights.error[i] = 0;
            left += weights.value[i];
        }
        for (std::size_t i = row; i < row + width; ++i) {
            if (blocked[i] || !std::isfinite(weights.error[i])) continue;
            const double most = weights.value[i] / (left + least_added);
            const double least = weights.value[i] / (left + most_added);
            weights.error[i] = 2 * weights.error[i] / (left + least_added) + (most - least) / 2 + denormal;
            weights.value[i] = (most + least) / 2;
        }
    }
}

}  // namespace

Chapter chapters::mask_blocking() {
    static constexpr Decision decisions[] = {
        {.id = "mask_block",
         .stage = Stage::mask,
         .lesson = {{"03", "Masks: which keys do not exist"}, {"05", "What people get wrong"}},
         .pseudocode =
             "before softmax: scores[b,h,t,s] = -infinity where blocked; softmax then gives them weight 0 and the "
             "others share what is left"},
        {.id = "empty_row",
         .stage = Stage::mask,
         .lesson = {{"03", "The row that sees nothing"}},
         .pseudocode =
             "if every key of [b,h,t] is blocked: all S weights are 0 (and the context with them), not 0 / 0"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "mask_multiplied",
         .decision = "mask_block",
         .title = "blocked scores become 0, which is a score like any other",
         .right = "blocked scores become -infinity",
         .symptom = "blocked keys keep a weight of exp(0)",
         .question = "What is the weight of a key whose score is 0?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double) { return 0.0; };
                 c.softmaxing.empty_row = &unknown;
             }},
        {.id = "mask_added_as_number",
         .decision = "mask_block",
         .title = "the mask is added to the scores as the number 1",
         .right = "blocked scores become -infinity",
         .symptom = "blocked keys are even preferred",
         .question = "What does true become when it is added to a float?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double x) { return x + 1; };
                 c.softmaxing.empty_row = &unknown;
             }},
        {.id = "mask_subtracted_as_number",
         .decision = "mask_block",
         .title = "the mask is subtracted from the scores as the number 1",
         .right = "blocked scores become -infinity",
         .symptom = "blocked keys lose a little weight",
         .question = "What does true become when it is subtracted from a float?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double x) { return x - 1; };
                 c.softmaxing.empty_row = &unknown;
             }},
        {.id = "mask_penalty_too_small",
         .decision = "mask_block",
         .title = "blocked scores are lowered by a small number, such as 10: blocked keys leak through",
         .right = "blocked scores become -infinity",
         .symptom = "what is blocked is seen a little",
         .question = "What is exp(-10), and what if a blocked score was 12?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double x) { return x - 10; };
                 c.softmaxing.empty_row = &unknown;
             }},
        {.id = "mask_tiny_number",
         .decision = "mask_block",
         .title = "blocked scores become a number near 0, such as 1e-9, instead of a large negative one",
         .right = "blocked scores become -infinity",
         .symptom = "blocked keys keep a weight of exp(0)",
         .question = "Is it -1e9 or 1e-9?",
         .shipped = {"GluonTS: https://github.com/awslabs/gluonts/pull/1401"},
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double) { return 1e-9; };
                 c.softmaxing.empty_row = &unknown;
             }},
        {.id = "mask_minus_one",
         .decision = "mask_block",
         .title = "blocked scores become -1, which is a score like any other",
         .right = "blocked scores become -infinity",
         .symptom = "blocked keys keep a weight of exp(-1)",
         .question = "What is the weight of a key whose score is -1?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double) { return -1.0; };
                 c.softmaxing.empty_row = &unknown;
             }},
        {.id = "mask_plus_infinity",
         .decision = "mask_block",
         .title = "blocked scores become +infinity instead of -infinity",
         .right = "blocked scores become -infinity",
         .symptom = "NaN as soon as something is blocked",
         .question = "Which sign has the infinity that makes exp zero?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double) { return std::numeric_limits<double>::infinity(); };
                 c.softmaxing.empty_row = &unknown;
             }},
        {.id = "mask_times_infinity",
         .decision = "mask_block",
         .title = "mask · -infinity is added to the scores, and 0 · -infinity is NaN",
         .right = "choose, do not multiply: blocked ? -infinity : score",
         .symptom = "NaN as soon as there is a mask",
         .question = "What is 0 times infinity?",
         .make =
             [](Choices& c) {
                 c.masking.block = [](Array& s, Blocked& b) {
                     const bool any_mask = std::find(b.begin(), b.end(), true) != b.end();
                     if (any_mask)
                         for (std::size_t i = 0; i < b.size(); ++i)
                             if (!b[i]) s.value[i] = std::numeric_limits<double>::quiet_NaN();
                 };
             }},
        {.id = "mask_after_softmax",
         .decision = "mask_block",
         .title = "the mask is applied after softmax, without renormalising: rows no longer sum to 1",
         .right = "block the scores before softmax",
         .symptom = "outputs shrink where much is blocked; the blocked keys still take their share",
         .question = "What do the weights of a row with blocked keys add up to?",
         .shipped = {"timm: https://github.com/huggingface/pytorch-image-models/pull/2236"},
         .make =
             [](Choices& c) {
                 c.masking.block = [](Array&, Blocked& b) { b.assign(b.size(), false); };
                 c.masking.afterwards = [](Array& weights, const Blocked& b) {
                     for (std::size_t i = 0; i < b.size(); ++i)
                         if (b[i]) weights.value[i] = weights.error[i] = 0;
                 };
             }},
        {.id = "mask_multiplied_and_renormalised",
         .decision = "mask_block",
         .title =
             "softmax counts blocked scores as 0; their weights are set to 0 afterwards, and the others divided by "
             "what is left of the sum",
         .right = "blocked scores become -infinity before softmax",
         .symptom = "right until the open scores of a row lie far below 0: then less and less is left for them",
         .question = "What is left of the sum where a blocked score counts as 0 and the open ones are -100?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double) { return 0.0; };
                 c.masking.afterwards = &renormalise;
             }},
        {.id = "blocked_keep_their_scores",
         .decision = "mask_block",
         .title = "a blocked key keeps its score as its weight; only what is open goes through softmax",
         .right = "a blocked key gets weight 0, and so do all keys of a row in which every key is blocked",
         .symptom = "what is blocked takes part with weights that may be negative; rows no longer sum to 1",
         .question = "What does your result hold, before you write to it, at a key that you skip?",
         .make = [](Choices& c) { c.masking.blocked_keep_scores = true; }},
        {.id = "scores_of_zero_blocked",
         .decision = "mask_block",
         .title = "a score of exactly 0 is taken for a blocked one",
         .right = "ask the mask which scores are blocked, not the scores",
         .symptom = "right for most numbers; a query that is 0, or at right angles to a key, sees nothing of it",
         .question = "Can an open score be 0?",
         .make =
             [](Choices& c) {
                 c.masking.block = [](Array& s, Blocked& b) {
                     for (std::size_t i = 0; i < b.size(); ++i)
                         if (s.value[i] == 0) b[i] = true;
                 };
             }},
        // ---- the row that sees nothing ----
        {.id = "empty_row_nan",
         .decision = "empty_row",
         .title = "a fully masked row is 0 / 0: NaN",
         .right = "where every key is blocked, all weights are 0",
         .symptom = "one padded sequence, and after one step of training every weight is NaN",
         .question = "What is the maximum of a row in which every score is -infinity, and what is -inf - (-inf)?",
         .shipped = {"IREE: https://github.com/iree-org/iree/issues/24175",
                     "1bit-MONSTER: https://github.com/1bit-MONSTER/1bit-MONSTER/issues/407"},
         .make =
             [](Choices& c) {
                 c.softmaxing.empty_row = [](Row& row) { fill(row, std::numeric_limits<double>::quiet_NaN()); };
             }},
        {.id = "empty_row_uniform",
         .decision = "empty_row",
         .title =
             "a fully masked row attends to all keys equally, as where blocked scores are a finite number such as -1e9",
         .right = "where every key is blocked, all weights are 0",
         .symptom = "a query that may see nothing gets the mean of all values, and in training all of them learn from "
                    "it",
         .question = "What is softmax of a row of equal numbers, however negative?",
         .shipped = {"flamingo-pytorch: https://github.com/lucidrains/flamingo-pytorch/issues/10"},
         .make =
             [](Choices& c) {
                 c.softmaxing.empty_row = [](Row& row) { fill(row, 1 / static_cast<double>(row.score.size())); };
             }},
        {.id = "empty_row_one",
         .decision = "empty_row",
         .title = "in a fully masked row every key gets weight 1",
         .right = "where every key is blocked, all weights are 0",
         .symptom = "padding contributes the sum of all values",
         .question = "What is exp(x - x), and is your sum kept from being 0?",
         .make = [](Choices& c) { c.softmaxing.empty_row = [](Row& row) { fill(row, 1.0); }; }},
        {.id = "empty_row_lowered",
         .decision = "empty_row",
         .title = "a large number is subtracted from blocked scores: a fully masked row goes through softmax with "
                  "what that leaves of them",
         .right = "where every key is blocked, all weights are 0",
         .symptom = "a query that may see nothing sees what it likes best, or all keys alike where the number swallows "
                    "the scores",
         .question = "What is softmax of a row from which one number has been subtracted everywhere?",
         .make = [](Choices& c) { c.softmaxing.empty_row = [](Row& row) { go_on(row, -1e9); }; }},
        {.id = "empty_row_as_any_other",
         .decision = "empty_row",
         .title = "a fully masked row goes through softmax like any other",
         .right = "where every key is blocked, all weights are 0",
         .symptom = "padding contributes to the output",
         .question = "What do the weights of a row add up to in which every key is blocked?",
         .make = [](Choices& c) { c.softmaxing.empty_row = [](Row& row) { go_on(row, 0); }; }},
        {.id = "empty_row_by_its_first_key",
         .decision = "empty_row",
         .title = "a row whose first key is blocked is taken for a fully masked one: all its weights become 0",
         .right = "all weights are 0 only where every key is blocked",
         .symptom = "right for causal masks and for padding on the right, which block the first key last",
         .question = "Can the first key be blocked and another one open?",
         .make =
             [](Choices& c) {
                 c.masking.afterwards = [](Array& weights, const Blocked& b) {
                     empty_rows_with(weights, b, [](std::size_t) -> std::size_t { return 0; });
                 };
             }},
        {.id = "empty_row_by_its_last_key",
         .decision = "empty_row",
         .title = "a row whose last key is blocked is taken for a fully masked one: all its weights become 0",
         .right = "all weights are 0 only where every key is blocked",
         .symptom = "with a causal mask only the last queries see anything",
         .question = "Can the last key be blocked and another one open?",
         .make =
             [](Choices& c) {
                 c.masking.afterwards = [](Array& weights, const Blocked& b) {
                     empty_rows_with(weights, b, [](std::size_t width) { return width - 1; });
                 };
             }},
        {.id = "mask_minus_ten_thousand",
         .decision = "mask_block",
         .title = "blocked scores become -1e4, which large scores can reach",
         .right = "blocked scores become -infinity",
         .symptom = "right until a score comes near -1e4",
         .question = "Can an open score be smaller than your number for blocked ones?",
         .shipped = {"TransformerLens: https://github.com/TransformerLensOrg/TransformerLens/pull/366"},
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double) { return -1e4; };
                 c.softmaxing.empty_row = [](Row& row) { fill(row, 1 / static_cast<double>(row.score.size())); };
             }},
        {.id = "mask_minus_ten_thousand_but_for_empty_rows",
         .decision = "mask_block",
         .title =
             "blocked scores become -1e4, which large scores can reach; fully masked rows are zero, as they should",
         .right = "blocked scores become -infinity",
         .symptom = "right until a score comes near -1e4",
         .question = "Can an open score be smaller than your number for blocked ones?",
         .make = [](Choices& c) { c.softmaxing.blocked_score = [](double) { return -1e4; }; }},
        {.id = "mask_minus_ten_thousand_and_weights_zeroed",
         .decision = "mask_block",
         .title =
             "blocked scores become -1e4, which large scores can reach; blocked weights are set to 0 after softmax",
         .right = "blocked scores become -infinity",
         .symptom =
             "right until a score comes near -1e4; then blocked keys count in the sum, and rows sum to less than 1",
         .question = "Can an open score be smaller than your number for blocked ones?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double) { return -1e4; };
                 c.masking.afterwards = [](Array& weights, const Blocked& b) {
                     for (std::size_t i = 0; i < b.size(); ++i)
                         if (b[i]) weights.value[i] = weights.error[i] = 0;
                 };
             }},
        {.id = "mask_lowered_by_ten_thousand",
         .decision = "mask_block",
         .title = "blocked scores are lowered by 1e4, which scores can outweigh",
         .right = "blocked scores become -infinity",
         .symptom = "right until scores differ by 1e4; a query that may see nothing sees what it likes best",
         .question = "What is softmax of a row from which one number has been subtracted everywhere?",
         .make =
             [](Choices& c) {
                 c.softmaxing.blocked_score = [](double x) { return x - 1e4; };
                 c.softmaxing.empty_row = [](Row& row) { go_on(row, -1e4); };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
