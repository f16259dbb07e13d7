// A cache in eight bits, and attention to it.
#include "suites/12_small_numbers/eight.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* to_the_bit = "codes and scales of old tokens stay as they are, to the bit";
constexpr const char* each_for_itself = "each new row, of k and of v, has the scale that row_scales gives it";
constexpr const char* in_each_head = "within each head, old tokens come first, then new ones";
constexpr const char* taken_in = "each key and value is its codes times its own scale";

template <Eights::Old old>
void codes_old(Choices& c) {
    c.change<Eights>().old = old;
}
template <Eights::New fresh>
void codes_new(Choices& c) {
    c.change<Eights>().fresh = fresh;
}
template <Eights::Joined joined>
void joins(Choices& c) {
    c.change<Eights>().joined = joined;
}
template <bool keys, bool values>
void scaled_by(Choices& c) {
    c.change<Eights>().scales_keys = keys;
    c.change<Eights>().scales_values = values;
}

}  // namespace

namespace chapters {

Chapter eight_cache() {
    static constexpr Decision decisions[] = {
        {.id = "eight_old_rows",
         .stage = Stage::none,
         .lesson = {{"12", "A cache in eight bits"}},
         .pseudocode = "new codes (B,H,P+n,width): old codes copied, then to_int8(k, row_scales(k)); scales alike"},
        {.id = "eight_new_rows",
         .stage = Stage::none,
         .lesson = {{"12", "A cache in eight bits"}},
         .pseudocode = "to_int8(k, row_scales(k)) and to_int8(v, row_scales(v)), each for itself"},
        {.id = "eight_joined",
         .stage = Stage::none,
         .lesson = {{"12", "A cache in eight bits"}},
         .pseudocode = "for each of the B·H heads: its P old rows, then its n new ones; scales in the same order"},
        {.id = "eight_attention",
         .stage = Stage::scores,
         .lesson = {{"12", "A cache in eight bits"}},
         .pseudocode = "scaled_dot_product_context(q, from_int8(cache.k), from_int8(cache.v), mask)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "old_rows_coded_again",
         .decision = "eight_old_rows",
         .title = "old tokens are turned into numbers and coded anew with the new ones",
         .right = to_the_bit,
         .symptom = "each step rounds the whole cache once more",
         .question = "Which numbers does append hand to to_int8?",
         .make = &codes_old<Eights::Old::coded_again>},
        {.id = "new_rows_share_a_scale",
         .decision = "eight_new_rows",
         .title = "new tokens of a head share one scale",
         .right = each_for_itself,
         .symptom = "small tokens lose their digits beside large ones",
         .question = "How many scales do n new tokens of one head have?",
         .make = &codes_new<Eights::New::by_one_scale>},
        {.id = "new_rows_take_the_last_scale",
         .decision = "eight_new_rows",
         .title = "new tokens are coded with the scale of the last token in the cache",
         .right = each_for_itself,
         .symptom = "larger tokens are cut off",
         .question = "Where does the scale of a new token come from?",
         .make = &codes_new<Eights::New::by_last_scale>},
        {.id = "values_take_the_scales_of_keys",
         .decision = "eight_new_rows",
         .title = "values are coded with the scales of keys",
         .right = each_for_itself,
         .symptom = "larger values are cut off, smaller ones lose their digits",
         .question = "Of which tensor do you take row_scales for v?",
         .make = [](Choices& c) { c.change<Eights>().values_by_keys_scales = true; }},
        {.id = "new_rows_behind_all_heads",
         .decision = "eight_joined",
         .title = "new rows stand behind the old rows of all heads",
         .right = in_each_head,
         .symptom = "right for one head and one sequence; else tokens change heads",
         .question = "Where do the new rows of head 0 stand, if there are two heads?",
         .make = &joins<Eights::Joined::all_old_first>},
        {.id = "new_codes_behind_all_heads",
         .decision = "eight_joined",
         .title = "new codes stand behind the old codes of all heads; scales are where they should be",
         .right = in_each_head,
         .symptom = "right for one head and one sequence; else codes change heads and scales do not",
         .question = "Where do the new codes of head 0 stand, if there are two heads?",
         .make = &joins<Eights::Joined::all_old_codes_first>},
        {.id = "new_scales_behind_all_heads",
         .decision = "eight_joined",
         .title = "new scales stand behind the old scales of all heads; codes are where they should be",
         .right = in_each_head,
         .symptom = "right for one head and one sequence; else scales change heads and codes do not",
         .question = "Where do the new scales of head 0 stand, if there are two heads?",
         .make = &joins<Eights::Joined::all_old_scales_first>},
        {.id = "new_rows_behind_heads_of_text",
         .decision = "eight_joined",
         .title = "in each text, new rows stand behind the old rows of all its heads",
         .right = in_each_head,
         .symptom = "right for one head; else tokens change heads",
         .question = "Where do the new rows of head 0 stand, if there are two heads?",
         .make = &joins<Eights::Joined::in_texts>},
        {.id = "new_codes_behind_heads_of_text",
         .decision = "eight_joined",
         .title =
             "in each text, new codes stand behind the old codes of all its heads; scales are where they should be",
         .right = in_each_head,
         .symptom = "right for one head; else codes change heads and scales do not",
         .question = "Where do the new codes of head 0 stand, if there are two heads?",
         .make = &joins<Eights::Joined::codes_in_texts>},
        {.id = "new_scales_first",
         .decision = "eight_joined",
         .title = "scales of new tokens stand before old ones; codes are where they should be",
         .right = in_each_head,
         .symptom = "each token is taken by the scale of another",
         .question = "Which scale belongs to the first token of the new cache?",
         .make = &joins<Eights::Joined::new_scales_first>},
        {.id = "new_rows_first",
         .decision = "eight_joined",
         .title = "new tokens stand before old ones",
         .right = in_each_head,
         .symptom = "masks and positions no longer fit",
         .question = "Which token of the new cache is the last?",
         .make = &joins<Eights::Joined::new_first>},
        {.id = "old_rows_dropped",
         .decision = "eight_joined",
         .title = "only the new tokens are kept",
         .right = in_each_head,
         .symptom = "the model forgets all that it has read",
         .question = "How many tokens has the new cache?",
         .make = &joins<Eights::Joined::new_alone>},
        {.id = "attention_without_scales_of_keys",
         .decision = "eight_attention",
         .title = "codes of keys are taken for keys",
         .right = taken_in,
         .symptom = "softmax picks one key",
         .question = "By what is a code multiplied?",
         .make = &scaled_by<false, true>},
        {.id = "attention_without_scales_of_values",
         .decision = "eight_attention",
         .title = "codes of values are taken for values",
         .right = taken_in,
         .symptom = "contexts are far too large",
         .question = "By what is a code multiplied?",
         .make = &scaled_by<true, false>},
        {.id = "attention_scales_keys_by_first_head",
         .decision = "eight_attention",
         .title = "of keys, every head takes the scales of the first",
         .right = taken_in,
         .symptom = "right where scales are alike",
         .question = "Whose scale is it that a code is multiplied by?",
         .make =
             [](Choices& c) { c.change<Eights>().scale_of_keys = [](Index row, Index P, Index) { return row % P; }; }},
        {.id = "attention_scales_values_by_first_token",
         .decision = "eight_attention",
         .title = "of values, every token takes the scale of the first of its head",
         .right = taken_in,
         .symptom = "right where scales are alike",
         .question = "Whose scale is it that a code is multiplied by?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().scale_of_values = [](Index row, Index P, Index) { return row - row % P; };
             }},
        {.id = "attention_scales_values_as_keys",
         .decision = "eight_attention",
         .title = "codes of values are multiplied by the scales of keys",
         .right = taken_in,
         .symptom = "right where scales are alike",
         .question = "Whose scale is it that a code is multiplied by?",
         .make = [](Choices& c) { c.change<Eights>().values_by_scales_of_keys = true; }},
        {.id = "attention_scales_keys_as_values",
         .decision = "eight_attention",
         .title = "codes of keys are multiplied by the scales of values",
         .right = taken_in,
         .symptom = "right where scales are alike",
         .question = "Whose scale is it that a code is multiplied by?",
         .make = [](Choices& c) { c.change<Eights>().keys_by_scales_of_values = true; }},
        {.id = "attention_scales_exchanged",
         .decision = "eight_attention",
         .title = "keys and values take each other's scales",
         .right = taken_in,
         .symptom = "right where scales are alike",
         .question = "Whose scale is it that a code is multiplied by?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().keys_by_scales_of_values = c.change<Eights>().values_by_scales_of_keys = true;
             }},
        {.id = "attention_to_codes_in_half",
         .decision = "eight_attention",
         .title = "attention is computed in half: queries, numbers of codes, scores, weights and contexts are rounded",
         .right = "the cache has eight bits; all else is float",
         .symptom = "contexts are a little off",
         .question = "Which attention do you hand the numbers of the cache to?",
         .make = [](Choices& c) { c.change<Eights>().attends_in_half = true; }},
        {.id = "attention_codes_queries",
         .decision = "eight_attention",
         .title = "queries are coded in eight bits, too",
         .right = "queries are floats; only the cache has codes",
         .symptom = "scores are off by up to a hundredth",
         .question = "Which tensors are kept in eight bits?",
         .make = [](Choices& c) { c.change<Eights>().codes_queries = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
