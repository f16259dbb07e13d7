// What a step of decoding turns and keeps.
#include "suites/13_positions/rotary.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* number_in_text = "new token t stands behind P others: it is number P + t, less the padding";
constexpr const char* turned_once = "turn each key once, when it is new, and keep it turned";
constexpr const char* behind_old_ones = "new token t stands in column P + t of keys and of values: cat({old, new}, 2)";

}  // namespace

namespace chapters {

Chapter rotary_decoding() {
    static constexpr Decision decisions[] = {
        {.id = "rotary_decoding",
         .stage = Stage::split,
         .lesson = {{"13", "In the cache"}},
         .pseudocode = "angles of token_positions(padding, P, T); cat the cache with the turned new keys; attend with "
                       "turned queries"},
        {.id = "rotary_order",
         .stage = Stage::weigh,
         .lesson = {{"13", "In the cache"}},
         .pseudocode = "cat({cache.k, new keys}, 2); cat({cache.v, new values}, 2)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "decode_forgets_the_cache_in_positions",
         .decision = "rotary_decoding",
         .title = "new tokens are turned as if they were the first: the tokens in the cache are not counted",
         .right = number_in_text,
         .symptom = "the prompt is right; every further token stands at the beginning",
         .question = "At which position does the first token after a prompt of 5 stand?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().counts_cache = {false, false};
             }},
        {.id = "decode_queries_forget_the_cache",
         .decision = "rotary_decoding",
         .title = "new queries are turned as if they were the first; keys are right",
         .right = number_in_text,
         .symptom = "the prompt is right; then distances are wrong",
         .question = "Do you turn q and k of a new token by the same angles?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().counts_cache = {false, true};
             }},
        {.id = "decode_queries_turned_as_the_last",
         .decision = "rotary_decoding",
         .title = "all new queries are turned by the position of the last of them",
         .right = number_in_text,
         .symptom = "right token by token; in a prompt, distances are wrong for all but the last token",
         .question = "At which position does the first of five new tokens stand?",
         .make = [](Choices& c) { c.change<Rotary>().queries_at_the_end = true; }},
        {.id = "decode_queries_behind_the_new_keys",
         .decision = "rotary_decoding",
         .title = "new queries are counted from the length of the cache that holds the new keys already: T too far",
         .right = number_in_text,
         .symptom =
             "nothing crashes; a query stands T tokens behind its own key, so that all distances are too large by T",
         .question = "Do you read the length of the cache before the new keys are put into it, or after?",
         .make = [](Choices& c) { c.change<Rotary>().queries_behind_the_new = true; }},
        {.id = "decode_keys_ignore_padding",
         .decision = "rotary_decoding",
         .title = "decode turns new keys by their column, and queries by their position behind the padding",
         .right = number_in_text,
         .symptom = "right without padding; else all distances are off by the padding",
         .question = "Do you turn q and k of a new token by the same angles?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().counts_padding = {true, false};
             }},
        {.id = "decode_queries_ignore_padding",
         .decision = "rotary_decoding",
         .title = "decode turns queries by their column, and new keys by their position behind the padding",
         .right = number_in_text,
         .symptom = "right without padding; else all distances are off by the padding",
         .question = "Do you turn q and k of a new token by the same angles?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().counts_padding = {false, true};
             }},
        {.id = "decode_counts_padding_once",
         .decision = "rotary_decoding",
         .title = "padding is taken off from positions in the first call alone, not behind a cache",
         .right = number_in_text,
         .symptom = "the prompt is right; then distances jump by the padding",
         .question = "Which position follows that of the prompt's last token?",
         .make = [](Choices& c) { c.change<Rotary>().padding_counts_once = true; }},
        {.id = "decode_positions_ignore_padding",
         .decision = "rotary_decoding",
         .title = "decode turns tokens by their column: padding is masked, but not taken off from the position",
         .right = number_in_text,
         .symptom = "keys in the cache and new ones are counted from different beginnings, if others filled it",
         .question = "Which position has the first real token of a text with three tokens of padding?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().counts_padding = {false, false};
             }},
        {.id = "cached_keys_turned_again",
         .decision = "rotary_decoding",
         .title = "the whole cache is turned with the new keys, and kept so: old keys are turned once more each time",
         .right = turned_once,
         .symptom = "the prompt is right; then keys move on with every token",
         .question = "How often has the first key been turned after three calls?",
         .make = [](Choices& c) { c.change<Rotary>().keys = Rotary::Keys::turned_again_and_kept; }},
        {.id = "cached_keys_turned_again_in_use",
         .decision = "rotary_decoding",
         .title = "keys are kept turned, and all of them are turned once more when they are used",
         .right = turned_once,
         .symptom = "every key is turned by twice its position",
         .question = "Are the keys that you attend to turned when they come out of the cache?",
         .make = [](Choices& c) { c.change<Rotary>().keys = Rotary::Keys::turned_again_in_use; }},
        {.id = "cache_keeps_keys_as_they_came",
         .decision = "rotary_decoding",
         .title = "keys are kept as they came, and all of them are turned when they are used",
         .right = turned_once,
         .symptom = "the whole past is turned for each token; a cache of turned keys is turned twice",
         .question = "What does the header say of the keys in the cache?",
         .make = [](Choices& c) { c.change<Rotary>().keys = Rotary::Keys::kept_as_they_came; }},
        {.id = "cache_keeps_unturned_keys",
         .decision = "rotary_decoding",
         .title = "new keys are turned for this call, and kept as they were before",
         .right = turned_once,
         .symptom = "each call is right by itself; in the next, these keys stand at position 0",
         .question = "Which of the two, k or the turned k, do you put into the new cache?",
         .make = [](Choices& c) { c.change<Rotary>().keys = Rotary::Keys::turned_but_not_kept; }},
        {.id = "padding_keys_cleared",
         .decision = "rotary_decoding",
         .title = "keys of padding are kept as zeros",
         .right = "keys of padding are kept as position 0 has them: as they came",
         .symptom = "nothing, as long as padding is masked",
         .question = "What does a turn by 0 make of a key?",
         .make = [](Choices& c) { c.change<Rotary>().clears_padding = true; }},
        {.id = "new_tokens_before_the_cache",
         .decision = "rotary_decoding",
         .title = "new keys and values are put before those in the cache",
         .right = "what is new comes last: columns are numbered as tokens came",
         .symptom = "the mask hides the wrong columns",
         .question = "Which column is the newest token?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().new_first = {true, true};
             }},
        {.id = "new_keys_before_the_cache",
         .decision = "rotary_order",
         .title = "new keys are put before those in the cache; values are right",
         .right = behind_old_ones,
         .symptom = "the prompt is right; then each value is weighed by another token's score",
         .question = "In which column of cache.k does the newest key stand, and in which of cache.v its value?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().new_first = {true, false};
             }},
        {.id = "new_values_before_the_cache",
         .decision = "rotary_order",
         .title = "new values are put before those in the cache; keys are right",
         .right = behind_old_ones,
         .symptom = "the prompt is right; then each value is weighed by another token's score",
         .question = "In which column of cache.v does the newest value stand, and in which of cache.k its key?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().new_first = {false, true};
             }},
        {.id = "decode_sees_new_tokens_alone",
         .decision = "rotary_decoding",
         .title = "attention runs over the new tokens alone: the cache grows and is never read",
         .right = "attention runs over the new cache",
         .symptom = "the prompt is right; then the past is forgotten",
         .question = "Which keys do you hand to attention?",
         .make = [](Choices& c) { c.change<Rotary>().sees_cache = false; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
