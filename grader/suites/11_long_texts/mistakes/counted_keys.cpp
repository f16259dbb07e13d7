// How often a key counts in attention over windows, and what scores are divided by.
#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* right_once =
    "each key that a query sees counts once: global tokens before its window, and the window";

}  // namespace

namespace chapters {

Chapter counted_keys() {
    static constexpr Decision decisions[] = {
        {.id = "globals_named_twice",
         .stage = Stage::mask,
         .lesson = {{"11", "What a mask blocks need not be computed"}},
         .pseudocode = "sort(globals), and each of them once"},
        {.id = "globals_seen_already",
         .stage = Stage::mask,
         .lesson = {{"11", "What a mask blocks need not be computed"}},
         .pseudocode = "keys of query p = global tokens before max(0, p - w + 1), then the window"},
        {.id = "window_scale",
         .stage = Stage::scale,
         .lesson = {{"11", "What a mask blocks need not be computed"}},
         .pseudocode = "scores = q·kᵀ / √d, whatever w is"},
        {.id = "window_largest",
         .stage = Stage::softmax,
         .lesson = {{"11", "What a mask blocks need not be computed"}},
         .pseudocode = "largest = -∞ for each query of each head; weights = exp(scores - largest)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "globals_count_as_often_as_named",
         .decision = "globals_named_twice",
         .title = "a global token that is named twice counts twice",
         .right = right_once,
         .symptom = "right while every position is named once",
         .question = "What becomes of `globals` {3, 3} in your list of keys?",
         .make = [](Choices& c) { c.change<Windows>().counts_list = Windows::CountsList::before_windows; }},
        {.id = "globals_before_a_block_count_as_often_as_named",
         .decision = "globals_named_twice",
         .title =
             "a global token that is named twice counts twice, where it stands before the windows of all queries that "
             "are computed together",
         .right = right_once,
         .symptom = "right while every position is named once, and in texts that one block of queries spans",
         .question = "What becomes of `globals` {3, 3} in the keys that you gather before the windows?",
         .make = [](Choices& c) { c.change<Windows>().counts_list = Windows::CountsList::before_block; }},
        {.id = "globals_named_apart_count_twice",
         .decision = "globals_named_twice",
         .title = "a global token that is named twice counts twice, unless the two stand side by side in `globals`",
         .right = right_once,
         .symptom = "right while every position is named once, or `globals` are sorted",
         .question = "What does std::unique leave of 0, 3, 0, and what must be done before?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().counts_list = Windows::CountsList::before_windows;
                 c.change<Windows>().neighbours_count_once = true;
             }},
        {.id = "globals_named_apart_before_a_block_count_twice",
         .decision = "globals_named_twice",
         .title =
             "a global token that is named twice counts twice, unless the two stand side by side in `globals`, where "
             "it stands before the windows of all queries that are computed together",
         .right = right_once,
         .symptom = "right while every position is named once, or `globals` are sorted",
         .question = "What does std::unique leave of 0, 3, 0, and what must be done before?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().counts_list = Windows::CountsList::before_block;
                 c.change<Windows>().neighbours_count_once = true;
             }},
        {.id = "globals_count_twice_in_windows",
         .decision = "globals_seen_already",
         .title = "a global token inside a query's window counts twice: once for the window, once as global",
         .right = right_once,
         .symptom = "right while global tokens stand before all windows",
         .question = "How often is token 3 in your list of keys, if it is global and in the window?",
         .make = [](Choices& c) { c.change<Windows>().counts_twice = Windows::CountsTwice::in_windows; }},
        {.id = "globals_count_twice_in_every_row",
         .decision = "globals_seen_already",
         .title = "a global token counts twice where it is seen already: in a window, and in the row of a global query",
         .right = right_once,
         .symptom = "right while global tokens stand before all windows, and are no queries",
         .question = "How often is token 0 in your list of keys for a query that sees all keys?",
         .make = [](Choices& c) { c.change<Windows>().counts_twice = Windows::CountsTwice::in_every_row; }},
        {.id = "scores_divided_by_root_of_window",
         .decision = "window_scale",
         .title = "scores are divided by √w, not by √d",
         .right = "q·kᵀ / √d: a product has d terms, however many keys there are",
         .symptom = "right for w = d",
         .question = "How many terms does one score add up?",
         .make = [](Choices& c) { c.change<Windows>().scales_by_window = true; }},
        {.id = "largest_score_of_heads_before",
         .decision = "window_largest",
         .title = "the largest score is not reset between heads: that of all heads so far is subtracted",
         .right = "each query of each head has a largest score of its own, and the search for it begins at -∞",
         .symptom = "right while heads have scores of like size; else all weights underflow, and 0 / 0 is NaN",
         .question = "Where does the search for a head's largest score begin?",
         .make = [](Choices& c) { c.change<Windows>().largest_goes_on = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
