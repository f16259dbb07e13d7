// Which keys windows and global tokens open.
#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/catalogue.hpp"

#include <cstdint>

namespace headway::diagnosis {
namespace {

constexpr const char* window_right = "open where 0 <= p(t) - s < w, with p(t) = t + (S - T)";
constexpr const char* row_and_column = "open where p(t) or s is a global position: its row and its column";
constexpr const char* joined_and_cut =
    "open where the window or a global token opens it; never the future, never padding";

constexpr const char* mask_axes = "(B, 1, T, S) with padding, (T, S) without";

bool is_listed(const Windows::Positions& all, Index position) {
    for (const Index one : all)
        if (one == position) return true;
    return false;
}

}  // namespace

namespace chapters {

Chapter long_masks() {
    static constexpr Decision decisions[] = {
        {.id = "window",
         .stage = Stage::mask,
         .lesson = {{"11", "A window"}},
         .pseudocode = "blocked(t, s) = distance < 0 or distance >= w, where distance = t + (S - T) - s"},
        {.id = "globals",
         .stage = Stage::mask,
         .lesson = {{"11", "Global tokens"}},
         .pseudocode = "blocked(t, s) = neither t + (S - T) nor s is a global position"},
        {.id = "long_mask",
         .stage = Stage::mask,
         .lesson = {{"11", "Global tokens"}},
         .pseudocode = "!(!window | !global) | causal_mask(T, S) | padding: (B, 1, T, S)"},
        {.id = "long_mask_axes",
         .stage = Stage::mask,
         .lesson = {{"11", in_the_header}},
         .pseudocode = "(T, S) without padding; with padding (B, 1, T, S)"},
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
         .title = "global tokens see every key, but nobody sees them",
         .right = row_and_column,
         .symptom = "nothing that a global token gathers reaches another token",
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
        {.id = "window_and_global",
         .decision = "long_mask",
         .title = "open is only what window and global tokens both open",
         .right = joined_and_cut,
         .symptom = "without global tokens nothing is open",
         .question = "True means blocked: what does | do to what is open?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return sight.window && sight.global && !sight.future && !sight.padding;
                 };
             }},
        {.id = "window_left_out",
         .decision = "long_mask",
         .title = "the window opens nothing: only global tokens do",
         .right = joined_and_cut,
         .symptom = "a token does not see itself",
         .question = "Where does your mask ask for the window?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return sight.global && !sight.future && !sight.padding;
                 };
             }},
        {.id = "globals_left_out",
         .decision = "long_mask",
         .title = "global tokens open nothing: only the window does",
         .right = joined_and_cut,
         .symptom = "right without global tokens",
         .question = "Where does your mask ask for global tokens?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return sight.window && !sight.future && !sight.padding;
                 };
             }},
        {.id = "globals_see_the_future",
         .decision = "long_mask",
         .title = "global tokens see the future, and are seen before they have come",
         .right = joined_and_cut,
         .symptom = "training looks brilliant: the answer is in sight",
         .question = "Is a global token of a causal model allowed to look ahead?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.global || (sight.window && !sight.future)) && !sight.padding;
                 };
             }},
        {.id = "padding_seen",
         .decision = "long_mask",
         .title = "padding is seen",
         .right = joined_and_cut,
         .symptom = "right without padding",
         .question = "Where is padding cut off?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future;
                 };
             }},
        {.id = "padding_seen_by_globals",
         .decision = "long_mask",
         .title = "padding is cut from the window alone: where a global token opens it, it is seen",
         .right = joined_and_cut,
         .symptom = "right without padding, or without global tokens",
         .question = "In which order do you join and cut?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return ((sight.window && !sight.padding) || sight.global) && !sight.future;
                 };
             }},
        {.id = "padding_sees_nothing",
         .decision = "long_mask",
         .title = "queries that are padding see nothing: padding is cut from rows as well",
         .right = joined_and_cut,
         .symptom = "rows of padding are zeros, and nobody should care; but they are not what was asked for",
         .question = "Is padding a matter of keys or of queries?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future && !sight.padding &&
                            !sight.query_is_padding;
                 };
             }},
        {.id = "long_masks_inverted",
         .decision = "long_mask",
         .title = "true and false are swapped: open is blocked",
         .right = "true means \"may not attend\"",
         .symptom = "a token sees only what it should not",
         .question = "What does true mean in a mask?",
         .make = [](Choices& c) { c.change<Windows>().inverted = true; }},
        {.id = "long_mask_always_of_four_axes",
         .decision = "long_mask_axes",
         .title = "without padding, too, the mask has four axes: (1, 1, T, S) in place of (T, S)",
         .right = mask_axes,
         .symptom = "it broadcasts where it is used, but it is not what was asked for",
         .question = "Which shape comes back for Mask{}?",
         .make = [](Choices& c) { c.change<Windows>().axes = Windows::Axes::always_four; }},
        {.id = "long_mask_without_axis_of_heads",
         .decision = "long_mask_axes",
         .title = "with padding, the mask is (B, T, S): it has no axis for the heads",
         .right = mask_axes,
         .symptom = "under (B, H, T, S) the axis of sequences meets that of heads",
         .question = "Which axis of (B, H, T, S) does the first of three meet?",
         .make = [](Choices& c) { c.change<Windows>().axes = Windows::Axes::never_of_heads; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
