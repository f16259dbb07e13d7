// Where attention in half rounds.
#include "suites/12_small_numbers/sixteen.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* in_order = "scores = r(Σ r(q)·r(k) / √d): sum and quotient are floats, and rounded once";
constexpr const char* in_tensors = "q, k, v, scores, weights and contexts are halves";
constexpr const char* float_sums = "sums are kept in float, as in a processor's matrix unit";
constexpr const char* small_terms_lost = "long sums lose their small terms";
constexpr const char* better_than_halves = "better than what a processor does in half";

template <bool q, bool k, bool v>
void takes_as_they_are(Choices& c) {
    c.change<Halves>().rounds_input = {!q, !k, !v};
}
template <Halves::Scaled scaled>
void scaled_so(Choices& c) {
    c.change<Halves>().scaled = scaled;
}
template <Halves::Sums Halves::*sum, Halves::Sums how>
void summed_so(Choices& c) {
    c.change<Halves>().*sum = how;
}

}  // namespace

namespace chapters {

Chapter half_attention() {
    static constexpr Decision decisions[] = {
        {.id = "half_attention",
         .stage = Stage::scores,
         .lesson = {{"12", "Scores that are too large"}},
         .pseudocode = "scores = r(r(q)·r(k)ᵀ / √d) (B,H,T,S);  weights = softmax_in_half(masked, Total::in_float);  "
                       "context = r(weights·r(v))"},
        {.id = "half_attention_sums",
         .stage = Stage::scores,
         .lesson = {{"12", "Scores that are too large"}},
         .pseudocode = "float total = 0;  for each feature: total += r(q)·r(k);  rounded once, after the division"},
        {.id = "half_context",
         .stage = Stage::weigh,
         .lesson = {{"12", "Scores that are too large"}},
         .pseudocode = "float total = 0;  for each key: total += weight·r(v);  rounded once, at the end"},
        {.id = "half_attention_weights",
         .stage = Stage::softmax,
         .lesson = {{"12", "Sums that stop"}},
         .pseudocode = "weights = softmax_in_half(masked scores, Total::in_float)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "half_scores_scaled_after_rounding",
         .decision = "half_attention",
         .title = "q·k is rounded before it is divided by √d",
         .right = in_order,
         .symptom = "a sum of 65,520 or more is infinite, and weights are NaN",
         .question = "How large may q·k be before it is divided?",
         .shipped = {"ultralytics: https://github.com/ultralytics/ultralytics/pull/24990"},
         .make = &scaled_so<Halves::Scaled::after_rounding>},
        {.id = "half_queries_scaled_first",
         .decision = "half_attention",
         .title = "queries are divided by √d and rounded before they meet keys",
         .right = in_order,
         .symptom = "scores are rounded once too often",
         .question = "How often is a score rounded on its way from q and k?",
         .make = &scaled_so<Halves::Scaled::queries_first>},
        {.id = "half_queries_scaled_as_they_came",
         .decision = "half_attention",
         .title = "queries are divided by √d before they are rounded, not their products with keys",
         .right = in_order,
         .symptom = "right where √d is a power of 2 and no query is tiny; else a score is off by what the query's "
                    "rounding leaves",
         .question = "What is rounded before q·k, and what is divided after it?",
         .make = &scaled_so<Halves::Scaled::queries_as_they_came>},
        {.id = "half_root_rounded",
         .decision = "half_attention",
         .title = "√d is rounded to half before scores are divided by it",
         .right = in_order,
         .symptom = "right for d = 4, 16, 64; else scores are off by up to a step",
         .question = "Which half is √2, and what is 47789 divided by it and by √2?",
         .make = [](Choices& c) { c.change<Halves>().rounds_root = true; }},
        {.id = "half_queries_not_rounded",
         .decision = "half_attention",
         .title = "q is not rounded",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = &takes_as_they_are<true, false, false>},
        {.id = "half_keys_not_rounded",
         .decision = "half_attention",
         .title = "k is not rounded",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = &takes_as_they_are<false, true, false>},
        {.id = "half_values_not_rounded",
         .decision = "half_attention",
         .title = "v is not rounded",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = &takes_as_they_are<false, false, true>},
        {.id = "half_queries_and_keys_not_rounded",
         .decision = "half_attention",
         .title = "q and k are not rounded; v is",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = &takes_as_they_are<true, true, false>},
        {.id = "half_queries_and_values_not_rounded",
         .decision = "half_attention",
         .title = "q and v are not rounded; k is",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = &takes_as_they_are<true, false, true>},
        {.id = "half_keys_and_values_not_rounded",
         .decision = "half_attention",
         .title = "k and v are not rounded; q is",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = &takes_as_they_are<false, true, true>},
        {.id = "half_inputs_not_rounded",
         .decision = "half_attention",
         .title = "q, k and v are not rounded",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = &takes_as_they_are<true, true, true>},
        {.id = "half_scores_summed_in_half",
         .decision = "half_attention_sums",
         .title = "each partial sum of q·k is rounded",
         .right = float_sums,
         .symptom = small_terms_lost,
         .question = "What is 2048 + 1 + 1 + 1, if every sum is rounded?",
         .make = &summed_so<&Halves::of_scores, Halves::Sums::in_half>},
        {.id = "half_scores_products_in_half",
         .decision = "half_attention_sums",
         .title = "each product and each partial sum of q·k is rounded",
         .right = float_sums,
         .symptom = small_terms_lost,
         .question = "What is 2048 + 1 + 1 + 1, if every sum is rounded?",
         .make = &summed_so<&Halves::of_scores, Halves::Sums::with_products>},
        {.id = "half_context_summed_in_half",
         .decision = "half_context",
         .title = "each partial sum of weights·v is rounded",
         .right = float_sums,
         .symptom = small_terms_lost,
         .question = "What is 256 + 0.1 + 0.1 + 0.1, if every sum is rounded?",
         .make = &summed_so<&Halves::of_context, Halves::Sums::in_half>},
        {.id = "half_context_not_rounded",
         .decision = "half_context",
         .title = "contexts are not rounded",
         .right = in_tensors,
         .symptom = better_than_halves,
         .question = "Which of your tensors would fit into sixteen bits?",
         .make = [](Choices& c) { c.change<Halves>().rounds_context = false; }},
        {.id = "half_attention_total_in_half",
         .decision = "half_attention_weights",
         .title = "attention keeps the total of softmax in half",
         .right = "softmax_in_half with its total in float",
         .symptom = "with many keys weights are too large",
         .question = "Which Total do you hand to softmax_in_half?",
         .make = [](Choices& c) { c.change<Halves>().attention_total_in_half = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
