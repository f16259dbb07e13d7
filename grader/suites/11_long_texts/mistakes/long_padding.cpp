// Which keys are taken for padding, and who sees them nevertheless.
#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* where_it_is_true =
    "key s of sequence b is padding where padding(b, 0, 0, s) is true, at either end or in between";
constexpr const char* nobody_sees = "padding is nobody's key, not even a global token's";
constexpr const char* padding_weighs_nothing = "padding has no weight, whatever others score";
constexpr const char* nobody_looks_ahead = "open is what window or global token opens, where s <= p(t)";

Index count(const Mask& padding, Index b) {
    Index all = 0;
    for (Index s = 0; s < padding.size(3); ++s) all += padding(b, 0, 0, s) ? 1 : 0;
    return all;
}

}  // namespace

namespace chapters {

Chapter long_padding() {
    static constexpr Decision decisions[] = {
        {.id = "long_padding",
         .stage = Stage::mask,
         .lesson = {{"11", "Global tokens"}},
         .pseudocode = "blocked(b, t, s) = ... or padding(b, 0, 0, s)"},
        {.id = "padding_score",
         .stage = Stage::mask,
         .lesson = {{"11", "What a mask blocks need not be computed"}},
         .pseudocode = "keys that are padding are left out, or score -infinity"},
        {.id = "global_cuts",
         .stage = Stage::mask,
         .lesson = {{"11", "Global tokens"}},
         .pseudocode = "blocked(b, t, s) = ... or s > p(t) or padding(b, 0, 0, s), with or without global tokens"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "padding_of_the_first_text",
         .decision = "long_padding",
         .title = "the padding of the first text counts for all",
         .right = where_it_is_true,
         .symptom = "right for one text",
         .question = "Which row of padding belongs to sequence 1?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().is_padding = [](const Mask& padding, Index, Index s) {
                     return padding(0, 0, 0, s);
                 };
             }},
        {.id = "padding_counted_at_the_end",
         .decision = "long_padding",
         .title = "padding is counted, and as many keys at the end are taken for it",
         .right = where_it_is_true,
         .symptom = "right where padding stands at the end",
         .question = "Which keys are padding in a text that is padded at its beginning?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().is_padding = [](const Mask& padding, Index b, Index s) {
                     return s >= padding.size(3) - count(padding, b);
                 };
             }},
        {.id = "padding_counted_at_the_beginning",
         .decision = "long_padding",
         .title = "padding is counted, and as many keys at the beginning are taken for it",
         .right = where_it_is_true,
         .symptom = "right where padding stands at the beginning",
         .question = "Which keys are padding in a text that is padded at its end?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().is_padding = [](const Mask& padding, Index b, Index s) {
                     return s < count(padding, b);
                 };
             }},
        {.id = "padding_from_the_first_on",
         .decision = "long_padding",
         .title = "a text ends at its first padding: all keys from there on are taken for padding",
         .right = where_it_is_true,
         .symptom = "right where padding stands at the end; a text that is padded at its beginning is empty",
         .question = "Which keys are padding in a text that is padded at its beginning?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().is_padding = [](const Mask& padding, Index b, Index s) {
                     for (Index before = 0; before <= s; ++before)
                         if (padding(b, 0, 0, before)) return true;
                     return false;
                 };
             }},
        {.id = "padding_up_to_the_last",
         .decision = "long_padding",
         .title = "a text begins after its last padding: all keys before are taken for padding",
         .right = where_it_is_true,
         .symptom = "right where padding stands at the beginning; a text that is padded at its end is empty",
         .question = "Which keys are padding in a text that is padded at its end?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().is_padding = [](const Mask& padding, Index b, Index s) {
                     for (Index later = s; later < padding.size(3); ++later)
                         if (padding(b, 0, 0, later)) return true;
                     return false;
                 };
             }},
        {.id = "padding_ends_the_row",
         .decision = "long_padding",
         .title = "a query stops at the first padding that it meets: keys behind it are not looked at",
         .right = where_it_is_true,
         .symptom = "right where padding stands at the end",
         .question = "Does your loop go on to the next key where one is padding, or does it end?",
         .make = [](Choices& c) { c.change<Windows>().stops_at_padding = true; }},
        {.id = "padding_read_without_strides",
         .decision = "long_padding",
         .title = "padding is read as data()[b * S + s], as if it were contiguous",
         .right = "padding(b, 0, 0, s): a mask may be a view of any strides",
         .symptom = "right for a fresh mask, wrong for a view",
         .question = "What does data()[1] hold of a mask that is every other entry of another?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().is_padding = [](const Mask& padding, Index b, Index s) {
                     const Index at = b * padding.size(3) + s;
                     if (padding.layout().offset + at >= padding.storage_size()) throw Unpredictable{};
                     return padding.data()[at];
                 };
             }},
        {.id = "padding_looked_up_among_gathered_keys",
         .decision = "long_padding",
         .title = "where queries are computed together, padding is asked at a key's number among the keys gathered for "
                  "them, "
                  "not at its position",
         .right = where_it_is_true,
         .symptom = "right where the gathered keys begin with key 0 and have no gap",
         .question = "Which position has the first key that you gather for the last queries of a long text?",
         .make = [](Choices& c) { c.change<Windows>().looked_up = Windows::LookedUp::among_keys_of_block; }},
        {.id = "padding_looked_up_in_the_window",
         .decision = "long_padding",
         .title = "padding is asked at a key's number among those that its query sees, not at its position",
         .right = where_it_is_true,
         .symptom = "right where a query sees the text from key 0 on",
         .question = "Which position has the first key of a window?",
         .make = [](Choices& c) { c.change<Windows>().looked_up = Windows::LookedUp::among_keys_of_query; }},
        {.id = "padding_scores_minus_ten_thousand",
         .decision = "padding_score",
         .title = "padding scores -1e4, which real scores can reach; a query that sees padding alone gets zeros",
         .right = padding_weighs_nothing,
         .symptom = "right until a score comes near -1e4",
         .question = "Can a real score be smaller than your number for padding?",
         .make = [](Choices& c) { c.change<Windows>().padding_scores = {.is_finite = true}; }},
        {.id = "padding_scores_minus_ten_thousand_everywhere",
         .decision = "padding_score",
         .title = "padding scores -1e4, which real scores can reach; a query that sees padding alone takes its mean",
         .right = padding_weighs_nothing,
         .symptom = "right until a score comes near -1e4, or a query sees nothing else",
         .question = "What is softmax of a row whose scores are all -1e4?",
         .make = [](Choices& c) { c.change<Windows>().padding_scores = {.is_finite = true, .in_empty_rows = true}; }},
        {.id = "padding_alone_takes_its_mean",
         .decision = "padding_score",
         .title = "a query that sees padding alone takes its mean, not zeros: padding scores -1e9 or the like, not "
                  "-infinity",
         .right = padding_weighs_nothing,
         .symptom = "right where each query sees a real token; a text's first tokens of padding spread from layer to "
                    "layer",
         .question = "What is softmax of a row whose scores are all -1e9?",
         .make =
             [](Choices& c) { c.change<Windows>().padding_scores = {.is_finite = true, .in_empty_rows_alone = true}; }},
        {.id = "padding_seen_from_the_beginning",
         .decision = "long_padding",
         .title = "padding is left in for queries whose keys begin with key 0: those at positions below w, and global "
                  "ones",
         .right = "padding is taken out of the keys of every query, wherever they begin",
         .symptom = "right without padding, and far from the beginning of a text",
         .question = "Is padding taken out where the window is cut at the beginning of the text?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future &&
                            (!sight.padding || sight.query_is_early || sight.query_is_global);
                 };
             }},
        {.id = "padding_seen_by_first_queries",
         .decision = "long_padding",
         .title = "padding is left in for queries at positions below w, whose window is cut at the beginning",
         .right = "padding is taken out of the keys of every query, wherever they begin",
         .symptom = "right without padding, and far from the beginning of a text",
         .question = "Is padding taken out where the window is cut at the beginning of the text?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future && (!sight.padding || sight.query_is_early);
                 };
             }},
        {.id = "padding_seen_by_global_queries",
         .decision = "global_cuts",
         .title = "global queries see padding: their own row is not cut",
         .right = nobody_sees,
         .symptom = "right without padding, or without global tokens",
         .question = "Which keys does the row of a global query leave out?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future &&
                            (!sight.padding || sight.query_is_global);
                 };
             }},
        {.id = "padding_seen_in_global_columns",
         .decision = "global_cuts",
         .title = "global tokens outside of the window are seen even where they are padding",
         .right = nobody_sees,
         .symptom = "right without padding, or without global tokens",
         .question = "What do you ask of a global key before you look at it?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     const bool by_list = sight.key_is_global && !sight.window && !sight.query_is_global;
                     return (sight.window || sight.global) && !sight.future && (!sight.padding || by_list);
                 };
             }},
        {.id = "global_padding_seen",
         .decision = "global_cuts",
         .title = "a key that is global is seen even where it is padding",
         .right = nobody_sees,
         .symptom = "right without padding, or while no global token is padding",
         .question = "May a global token be padding in one of the sequences?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future && (!sight.padding || sight.key_is_global);
                 };
             }},
        {.id = "globals_seen_before_they_come",
         .decision = "global_cuts",
         .title = "every query sees all global tokens, also those that come after it",
         .right = nobody_looks_ahead,
         .symptom = "training looks brilliant where a global token tells of the answer",
         .question = "What may query 2 see of global token 3?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (((sight.window || sight.global) && !sight.future) || sight.key_is_global) &&
                            !sight.padding;
                 };
             }},
        {.id = "globals_seen_early_by_others",
         .decision = "global_cuts",
         .title = "a query that is not global sees all global tokens, also those that come after it",
         .right = nobody_looks_ahead,
         .symptom = "training looks brilliant where a global token tells of the answer",
         .question = "What may query 2 see of global token 3?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     const bool by_list = sight.key_is_global && !sight.query_is_global;
                     return (((sight.window || sight.global) && !sight.future) || by_list) && !sight.padding;
                 };
             }},
        {.id = "global_queries_see_the_future",
         .decision = "global_cuts",
         .title = "a global query sees every key, also those that come after it",
         .right = nobody_looks_ahead,
         .symptom = "right where the last token alone is global",
         .question = "Is a global token of a causal model allowed to look ahead?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (((sight.window || sight.global) && !sight.future) || sight.query_is_global) &&
                            !sight.padding;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
