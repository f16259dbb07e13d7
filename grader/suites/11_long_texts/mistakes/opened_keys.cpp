// Which keys a window opens, and which a global token.
#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>
#include <cstdint>

namespace headway::diagnosis {
namespace {

constexpr const char* window_right = "open where 0 <= p(t) - s < w, with p(t) = t + (S - T)";
constexpr const char* row_and_column = "open where p(t) or s is a global position: its row and its column";

bool is_listed(const Windows::Positions& all, Index position) { return std::ranges::find(all, position) != all.end(); }

}  // namespace

namespace chapters {

Chapter opened_keys() {
    static constexpr Decision decisions[] = {
        {.id = "window",
         .stage = Stage::mask,
         .lesson = {{"11", "A window"}},
         .pseudocode = "blocked(t, s) = distance < 0 or distance >= w, where distance = t + (S - T) - s"},
        {.id = "globals",
         .stage = Stage::mask,
         .lesson = {{"11", "Global tokens"}},
         .pseudocode = "blocked(t, s) = neither t + (S - T) nor s is a global position"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "window_one_more",
         .decision = "window",
         .title = "a window holds w + 1 tokens: itself and w before it",
         .right = window_right,
         .symptom = "harmless alone, but a ring of w tokens gives other answers",
         .question = "How many tokens does a query see with w = 1?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return pair.s <= pair.p() && pair.p() - pair.s <= w;
                 };
             }},
        {.id = "window_one_less",
         .decision = "window",
         .title = "a window holds w - 1 tokens",
         .right = window_right,
         .symptom = "with w = 1 a token sees nothing at all",
         .question = "How many tokens does a query see with w = 1?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return pair.s <= pair.p() && pair.p() - pair.s < w - 1;
                 };
             }},
        {.id = "window_both_sides",
         .decision = "window",
         .title = "the window reaches as far into the future as into the past",
         .right = window_right,
         .symptom = "training looks brilliant: the answer is in sight",
         .question = "What may query 3 see of key 4?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return pair.p() - pair.s < w && pair.s - pair.p() < w;
                 };
             }},
        {.id = "window_centred",
         .decision = "window",
         .title = "the window is centred at the token, half of it on each side",
         .right = window_right,
         .symptom = "training looks brilliant: the answer is in sight",
         .question = "What may query 3 see of key 4?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return 2 * (pair.p() - pair.s) <= w && 2 * (pair.s - pair.p()) <= w;
                 };
             }},
        {.id = "window_ahead",
         .decision = "window",
         .title = "the window opens the token and those after it: the difference has the other sign",
         .right = window_right,
         .symptom = "a token sees the future alone",
         .question = "Is it the query less the key, or the key less the query?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return pair.p() <= pair.s && pair.s - pair.p() < w;
                 };
             }},
        {.id = "window_without_end",
         .decision = "window",
         .title = "the window has no end in the future: every later token is open",
         .right = window_right,
         .symptom = "right once a causal mask is added, wrong by itself",
         .question = "What may query 3 see of key 5?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return pair.p() - pair.s < w;
                 };
             }},
        {.id = "window_without_offset",
         .decision = "window",
         .title = "the window is counted from t, as if the first query stood at position 0",
         .right = window_right,
         .symptom = "right for T = S; new tokens of a decoder see the beginning of the text",
         .question = "At which position does query t stand when T < S?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return pair.s <= pair.t && pair.t - pair.s < w;
                 };
             }},
        {.id = "window_of_half",
         .decision = "window",
         .title = "the window holds w/2 + 1 tokens: w is taken for a width on both sides",
         .right = window_right,
         .symptom = "half as much is seen as was paid for",
         .question = "How many tokens does the window hold, itself included?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     return pair.s <= pair.p() && 2 * (pair.p() - pair.s) <= w;
                 };
             }},
        {.id = "window_in_an_int",
         .decision = "window",
         .title = "w is kept in an int: a window of 2^31 or more tokens does not fit, and is another one",
         .right = "keep sizes as Index, which has 64 bits",
         .symptom = "right while windows are short; one for \"no window at all\" hides everything",
         .question = "What is 2^32 as an int?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().in_window = [](const Windows::Pair& pair, Index w) {
                     const Index kept = static_cast<std::int32_t>(w);
                     return pair.s <= pair.p() && pair.p() - pair.s < kept;
                 };
             }},
        {.id = "global_rows_alone",
         .decision = "globals",
         .title = "a global token sees every key, but its column is not opened: other tokens do not see it",
         .right = row_and_column,
         .symptom = "what a global token gathers reaches no token beyond its window",
         .question = "Who may look at a global token?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().opened_by = [](const Windows::Pair& pair, const Windows::Positions& all) {
                     return is_listed(all, pair.p());
                 };
             }},
        {.id = "global_columns_alone",
         .decision = "globals",
         .title = "every query sees the global tokens, but they see no more than any other query",
         .right = row_and_column,
         .symptom = "a global token has nothing to tell of the text",
         .question = "What may a global token look at?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().opened_by = [](const Windows::Pair& pair, const Windows::Positions& all) {
                     return is_listed(all, pair.s);
                 };
             }},
        {.id = "global_columns_from_the_first_query",
         .decision = "globals",
         .title = "a global token before the first query is not seen: it opens no column",
         .right = row_and_column,
         .symptom = "right for T = S; new tokens of a decoder lose sight of the beginning of the text",
         .question = "Which keys lie before position S - T, and may they be global?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().opened_by = [](const Windows::Pair& pair, const Windows::Positions& all) {
                     return is_listed(all, pair.p()) || (pair.s >= pair.S - pair.T && is_listed(all, pair.s));
                 };
             }},
        {.id = "global_pairs_alone",
         .decision = "globals",
         .title = "open is only where query and key are both global",
         .right = row_and_column,
         .symptom = "global tokens know each other and nobody else",
         .question = "Is it \"and\" or \"or\" between query and key?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().opened_by = [](const Windows::Pair& pair, const Windows::Positions& all) {
                     return is_listed(all, pair.p()) && is_listed(all, pair.s);
                 };
             }},
        {.id = "global_rows_without_offset",
         .decision = "globals",
         .title = "the rows of global tokens are counted from t, not from position t + (S - T)",
         .right = row_and_column,
         .symptom = "right for T = S",
         .question = "Which row belongs to position g, when the queries are the last T?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().opened_by = [](const Windows::Pair& pair, const Windows::Positions& all) {
                     return is_listed(all, pair.t) || is_listed(all, pair.s);
                 };
             }},
        {.id = "global_rows_after_the_first",
         .decision = "globals",
         .title = "the first query has no row of its own, even where it is a global token",
         .right = row_and_column,
         .symptom = "right unless position S - T is global",
         .question = "Is the row of position S - T one of the T rows?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().opened_by = [](const Windows::Pair& pair, const Windows::Positions& all) {
                     return (pair.t > 0 && is_listed(all, pair.p())) || is_listed(all, pair.s);
                 };
             }},
        {.id = "globals_looked_up_as_if_in_order",
         .decision = "globals",
         .title = "global positions are looked up as if they came in order: by a binary search",
         .right = "they come in any order: sort a copy first, or look at one after the other",
         .symptom = "right where positions come in order; else some of them, or all, are not found",
         .question = "With positions 5, 0, 3: where does your search go from the middle one to find 5?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().opened_by = [](const Windows::Pair& pair, const Windows::Positions& all) {
                     return std::ranges::binary_search(all, pair.p()) || std::ranges::binary_search(all, pair.s);
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
