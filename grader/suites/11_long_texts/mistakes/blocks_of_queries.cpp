// What queries see of each other's keys in attention that computes several of them together. How many these are is the
// student's choice: blocks.cpp finds it.
#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* own_window = "each query has its own window, p - s from 0 to w - 1, whatever is computed with it";

}  // namespace

namespace chapters {

Chapter blocks_of_queries() {
    static constexpr Decision decisions[] = {
        {.id = "blocks_of_queries",
         .stage = Stage::mask,
         .lesson = {{"11", "What a mask blocks need not be computed"}},
         .pseudocode = "of the keys of a block, blocked for the query at p: s > p, or p - s >= w and s not global"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "block_sees_its_last_keys",
         .decision = "blocks_of_queries",
         .title = "queries that are computed together see keys of the future: each sees up to the last of its block",
         .right = own_window,
         .symptom = "right for the last query of a block; training looks brilliant: the answer is in sight",
         .question = "Which of the keys of a block come after its first query?",
         .ends_in_words = true},
        {.id = "attention_sees_the_future",
         .decision = "blocks_of_queries",
         .title = "a query sees the keys after it, too: the future is not cut off",
         .right = own_window,
         .symptom = "training looks brilliant: the answer is in sight",
         .question = "What does query 0 see of key 1, and where does your code say so?"},
        {.id = "block_sees_its_first_window",
         .decision = "blocks_of_queries",
         .title =
             "queries that are computed together see more than w tokens: each sees all from the first window on in "
             "its block",
         .right = own_window,
         .symptom = "right for the first query of a block, and where w reaches to the beginning of the text",
         .question = "Where does the window of the last query of a block begin?",
         .ends_in_words = true},
        {.id = "block_without_a_mask",
         .decision = "blocks_of_queries",
         .title = "queries that are computed together all see the same keys, those of all their windows, in each block",
         .right = own_window,
         .symptom = "right where a block is one query; training looks brilliant: the answer is in sight",
         .question = "Which of the keys of a block does its first query see, and which its last?",
         .ends_in_words = true},
        {.id = "block_counts_globals_twice",
         .decision = "blocks_of_queries",
         .title = "a global token that is already among the keys of a block of queries is added once more and counts "
                  "twice, in blocks",
         .right = "each key of a block counts once: the global tokens before the first window of the block, then all "
                  "keys from there on",
         .symptom = "right while global tokens stand before the windows of all queries of a block",
         .question = "Which global tokens are already among the keys from the first window of the block on?",
         .ends_in_words = true},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
