// What a new token sees of the keys that are kept.
#include "suites/08_kv_cache/caching.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

using Lengths = Caching::Lengths;

constexpr const char* own_position = "new token t of sequence b stands at lengths[b] + t and sees up to itself";

constexpr const char* cache_up_to_itself = "append first; then each new token sees the cache up to its own position";

}  // namespace

namespace chapters {

Chapter decoding() {
    static constexpr Decision decisions[] = {
        {.id = "decoding_mask",
         .stage = Stage::mask,
         .lesson = {{"08", "As a formula"}},
         .pseudocode = "mask[b, 0, t, s] = s > lengths[b] + t: new token t of sequence b stands at lengths[b] + t"},
        {.id = "decode_sees",
         .stage = Stage::mask,
         .lesson = {{"08", "What people get wrong"}},
         .pseudocode = "before = lengths; append; attend to the whole cache under decoding_mask(before, n, S)"},
        {.id = "decode_keys",
         .stage = Stage::mask,
         .lesson = {{"08", "What people get wrong"}},
         .pseudocode = "S = the length of the longest sequence after append, and at least 1"},
        {.id = "decode_projects",
         .stage = Stage::project,
         .lesson = {{"08", "In words"}},
         .pseudocode = "project x (B,n,D), the new tokens alone: 4·B·n rows in all, however long the past is"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "decoding_mask_of_an_empty_cache",
         .decision = "decoding_mask",
         .title = "the mask is that of an empty cache: new token t sees positions 0 to t",
         .right = own_position,
         .symptom = "the first chunk is right; later tokens see the beginning alone",
         .question = "At which position does the first new token stand?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths&, std::size_t, Index t, Index s, Index, Index) {
                     return s > t;
                 };
             }},
        {.id = "decoding_mask_bottom_right",
         .decision = "decoding_mask",
         .title = "the mask has one offset, S - n, for all sequences",
         .right = own_position,
         .symptom = "right only where lengths[b] is S - n; tokens of shorter sequences see past their own position",
         .question = "How many keys does each sequence have?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths&, std::size_t, Index t, Index s, Index n, Index S) {
                     return s > t + (S - n);
                 };
             }},
        {.id = "decoding_mask_hides_itself",
         .decision = "decoding_mask",
         .title = "a token does not see itself",
         .right = own_position,
         .symptom = "the first token of all sees nothing; every other lacks the newest key",
         .question = "Is it s > position or s >= position?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index t, Index s, Index,
                                                 Index) { return s >= lengths[b] + t; };
             }},
        {.id = "decoding_mask_sees_one_ahead",
         .decision = "decoding_mask",
         .title = "a token sees one position too many",
         .right = own_position,
         .symptom = "single tokens see what lies behind the end; in chunks, their successor",
         .question = "Is it s > position or s > position + 1?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index t, Index s, Index,
                                                 Index) { return s > lengths[b] + t + 1; };
             }},
        {.id = "decoding_mask_inverted",
         .decision = "decoding_mask",
         .title = "the mask is inverted: true where a token may look",
         .right = own_position,
         .symptom = "a token sees what lies behind it, and nothing of the past",
         .question = "Does true in a mask of this course mean blocked or allowed?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index t, Index s, Index,
                                                 Index) { return s <= lengths[b] + t; };
             }},
        {.id = "decoding_mask_empty_for_one",
         .decision = "decoding_mask",
         .title = "a single new token gets no mask: nothing is blocked when n is 1",
         .right = own_position,
         .symptom = "right in chunks, and where S is lengths[b] + 1; else single tokens see past their own position",
         .question = "Two sequences of 2 and 5 tokens get one more each: what may the first not see?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index t, Index s, Index n,
                                                 Index) { return n > 1 && s > lengths[b] + t; };
             }},
        {.id = "decoding_mask_forgets_the_token",
         .decision = "decoding_mask",
         .title = "t is not added: every new token sees what the first of them sees",
         .right = own_position,
         .symptom = "right for single tokens; in chunks, later tokens do not see themselves",
         .question = "Three tokens come at once: may the third of them see the second?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index, Index s, Index, Index) {
                     return s > lengths[b];
                 };
             }},
        {.id = "decoding_mask_of_first_sequence",
         .decision = "decoding_mask",
         .title = "the mask counts from the length of the first sequence, for all of them",
         .right = own_position,
         .symptom = "right while all sequences are equally long",
         .question = "Which length does sequence 1 count from?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t, Index t, Index s, Index, Index) {
                     return s > lengths.front() + t;
                 };
             }},
        {.id = "decoding_mask_hides_the_padding_alone",
         .decision = "decoding_mask",
         .title = "only what lies past the end of each sequence is hidden: tokens of a chunk see those after them",
         .right = own_position,
         .symptom = "right for single tokens; in chunks, each token sees its own future",
         .question = "Three tokens come at once: may the first of them see the third?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index, Index s, Index n,
                                                 Index) { return s >= lengths[b] + n; };
             }},
        {.id = "decoding_mask_hides_the_new_tokens",
         .decision = "decoding_mask",
         .title = "what lies past the lengths before the new tokens is hidden as well: they see neither themselves nor "
                  "each other",
         .right = own_position,
         .symptom = "the first token of all sees nothing; every later one sees the past alone",
         .question = "Are the lengths that you get those before or after the new tokens, and which positions are past "
                     "them?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index, Index s, Index, Index) {
                     return s >= lengths[b];
                 };
             }},
        {.id = "decoding_mask_hides_the_past",
         .decision = "decoding_mask",
         .title = "positions before lengths[b] are hidden: new tokens see themselves and those before them in the "
                  "chunk, and nothing of the past",
         .right = own_position,
         .symptom = "right while the cache is empty; later, what is cached is never seen",
         .question = "With unsigned numbers, what is s - lengths[b] where s is the smaller one?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().hidden = [](const Lengths& lengths, std::size_t b, Index t, Index s, Index,
                                                 Index) { return s < lengths[b] || s > lengths[b] + t; };
             }},
        {.id = "decoding_mask_written_past_its_end",
         .decision = "decoding_mask",
         .title = "the row of a token that stands past the last of S positions is written past its end: it throws",
         .right = "s runs over the S positions: a token that stands past them all sees them all",
         .symptom = "right while S has a position for every token; with padding it need not",
         .question = "What is the mask of a sequence of 2 for n = 2 and S = 3?",
         .make = [](Choices& c) { c.change<Caching>().mask_ends = Caching::MaskEnds::behind_every_token; }},
        {.id = "decoding_mask_clamps_the_length_alone",
         .decision = "decoding_mask",
         .title = "the length is kept within S and t is added after that: rows of further tokens are written past "
                  "their end, which throws",
         .right = "s runs over the S positions: a token that stands past them all sees them all",
         .symptom = "right for one token; for more, right while S has a position for every token",
         .question = "What is the mask of a sequence of 2 for n = 2 and S = 3?",
         .make = [](Choices& c) { c.change<Caching>().mask_ends = Caching::MaskEnds::behind_further_tokens; }},
        {.id = "decode_sees_what_was_before",
         .decision = "decode_sees",
         .title = "new tokens see the cache as it was before the chunk: neither themselves nor each other",
         .right = cache_up_to_itself,
         .symptom = "every token lacks its own key and value",
         .question = "Does a token attend to itself?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::what_was_before; }},
        {.id = "decode_sees_the_whole_chunk",
         .decision = "decode_sees",
         .title = "nothing is masked inside a chunk: its tokens see each other, later ones included",
         .right = cache_up_to_itself,
         .symptom = "right token by token; a prompt sees its future",
         .question = "What does the first token of a prompt of 5 see?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::whole_chunk; }},
        {.id = "decode_masks_by_lengths_after",
         .decision = "decode_sees",
         .title =
             "the mask is asked for after lengths have moved on: each new token may see counts[b] positions too many",
         .right = "make the mask from a copy of the lengths taken before append: each new token sees the cache up to "
                  "its own position",
         .symptom = "right for single tokens of equal lengths; else tokens see those after them, or stale numbers past "
                    "the end",
         .question = "Which lengths does decoding_mask want: before or after the new tokens?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::up_to_its_length_after; }},
        {.id = "decode_masks_no_single_token",
         .decision = "decode_sees",
         .title = "a single new token gets no mask: decode masks chunks alone",
         .right = "with n = 1 too, sequence b sees positions up to lengths[b], and S is the length of the longest",
         .symptom = "right in chunks, and where all sequences are equally long; else single tokens of shorter ones see "
                    "past their end",
         .question = "Two sequences of 2 and 5 tokens get one more each: what may the first not see?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::all_if_it_comes_alone; }},
        {.id = "decode_sees_the_chunk_alone",
         .decision = "decode_sees",
         .title = "attention runs over the new tokens alone: the cache is filled and never read",
         .right = cache_up_to_itself,
         .symptom = "the first chunk is right; then the past is forgotten",
         .question = "Which keys do you hand to attention?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::chunk_alone; }},
        {.id = "decode_sees_by_one_offset",
         .decision = "decode_sees",
         .title =
             "the causal part of the mask has one offset, S - n, for the whole batch; what is past the end is hidden",
         .right = cache_up_to_itself,
         .symptom =
             "right only where lengths[b] is S - n; in shorter sequences a token sees its successors in the chunk",
         .question = "Two sequences of 2 and 5 tokens get a chunk of 3: at which position does each chunk begin?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::one_offset; }},
        {.id = "decode_sees_by_one_offset_where_lengths_are_equal",
         .decision = "decode_sees",
         .title = "where all lengths are equal, new token t sees keys up to t + (S - n), as causal_mask(n, S) has it",
         .right = "new token t sees every position up to lengths[b] + t: S - n is that only if every count is n",
         .symptom = "right while the longest chunk is full; with padding in every chunk, tokens do not see themselves",
         .question =
             "S counts real tokens, and n counts padding too: what is S - n with lengths 0, n = 3 and counts 2?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::one_offset_for_equal_lengths; }},
        {.id = "decode_sees_by_the_first_length",
         .decision = "decode_sees",
         .title =
             "new tokens are counted from the length of the first sequence, for all of them; what is past the end is "
             "hidden",
         .right = cache_up_to_itself,
         .symptom = "right while all sequences are equally long; else tokens see too little, or their successors",
         .question = "Which length does sequence 1 count from?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::offset_of_first_sequence; }},
        {.id = "decode_sees_as_many_keys_as_the_first",
         .decision = "decode_keys",
         .title = "only as many keys are handed to attention as sequence 0 holds: longer sequences lose their newest",
         .right = "hand over as many keys as the longest sequence holds; the mask hides what is past the end of others",
         .symptom = "right while no sequence is longer than the first",
         .question = "Whose length is S where sequences of 2 and 5 tokens are decoded together?",
         .make = [](Choices& c) { c.change<Caching>().keys_of_the_first_alone = true; }},
        {.id = "decode_counts_back_from_the_last_token",
         .decision = "decode_sees",
         .title = "the last of the n tokens, padding or not, is taken to stand at the end of its sequence: before "
                  "padding, tokens see too few keys",
         .right = "token t of sequence b stands at lengths[b] + t, whatever padding follows it",
         .symptom = "right while counts[b] is n for every sequence, as without padding",
         .question = "A sequence of 1 gets one real token of 3: at which position does it stand, and which keys may it "
                     "see?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::back_from_the_last_token; }},
        {.id = "decode_looks_past_the_capacity",
         .decision = "decode_sees",
         .title = "as many positions are looked at as were filled before and n more, padding included: near the "
                  "capacity that is past the end of the cache",
         .right = "look at as many positions as the longest sequence holds after append, and at 1 at least: never past "
                  "the capacity",
         .symptom = "it throws where padding finds no room, and the tokens are cached by then",
         .question = "Of how many positions do you cut a slice where one real token and five of padding come to the "
                     "last position?",
         .make = [](Choices& c) { c.change<Caching>().keys_counted_with_padding = true; }},
        {.id = "decode_sees_the_whole_cache",
         .decision = "decode_sees",
         .title = "nothing is masked: new tokens see every position of the cache, filled or not",
         .right = cache_up_to_itself,
         .symptom = "zeros and stale numbers behind the end take part",
         .question = "What lies behind lengths[b]?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::whole_cache; }},
        {.id = "decode_sees_the_last_8",
         .decision = "decode_sees",
         .title = "a new token sees the last 8 positions alone, its own included: older keys are forgotten",
         .right = cache_up_to_itself,
         .symptom = "right for short texts; beyond 8 tokens the beginning of a text no longer counts",
         .question = "At which position does your loop over the keys begin?",
         .make = [](Choices& c) { c.change<Caching>().sees_last = 8; }},
        {.id = "decode_sees_the_last_16",
         .decision = "decode_sees",
         .title = "a new token sees the last 16 positions alone, its own included: older keys are forgotten",
         .right = cache_up_to_itself,
         .symptom = "right for short texts; beyond 16 tokens the beginning of a text no longer counts",
         .question = "At which position does your loop over the keys begin?",
         .make = [](Choices& c) { c.change<Caching>().sees_last = 16; }},
        {.id = "decode_sees_the_last_32",
         .decision = "decode_sees",
         .title = "a new token sees the last 32 positions alone, its own included: older keys are forgotten",
         .right = cache_up_to_itself,
         .symptom = "right for short texts; beyond 32 tokens the beginning of a text no longer counts",
         .question = "At which position does your loop over the keys begin?",
         .make = [](Choices& c) { c.change<Caching>().sees_last = 32; }},
        {.id = "decode_masks_the_first_chunk_alone",
         .decision = "decode_sees",
         .title = "only the first chunk is masked: once the cache holds something, nothing is",
         .right = cache_up_to_itself,
         .symptom = "prefill is right, and so are single tokens of one sequence; later chunks see their future",
         .question = "Which keys may the first of three new tokens see if five are cached?",
         .make = [](Choices& c) { c.change<Caching>().sees = Caching::Sees::whole_cache_after_the_first_chunk; }},
        {.id = "chunk_taken_for_a_new_prompt",
         .decision = "decode_sees",
         .title = "a chunk of more than one token is taken for a new prompt: the cache is emptied before",
         .right = "a chunk goes on where its sequence ends: what is cached stays, however many tokens come",
         .symptom = "the first prompt and single tokens are right; with a second chunk the past is forgotten",
         .question = "May a chunk of several tokens come to a cache that holds some?",
         .make = [](Choices& c) { c.change<Caching>().chunk_begins_anew = true; }},
        {.id = "whole_capacity_projected",
         .decision = "decode_projects",
         .title = "as many rows are projected as the cache has positions, not as there are new tokens",
         .right = "project the n new tokens, four times",
         .symptom = "right, and as slow as without a cache",
         .question = "How many rows does each projection get?",
         .make = [](Choices& c) { c.change<Caching>().projects = Caching::Projects::whole_capacity; }},
        {.id = "projections_without_biases",
         .decision = "decode_projects",
         .title = "the biases of the four projections are not added",
         .right = "a projection is x · weightᵀ + bias, as its forward has it",
         .symptom = "right while all biases are 0, as they are in many tests of one's own",
         .question = "What does forward of a Linear add to the product?",
         .make = [](Choices& c) { c.change<Caching>().projects_without_biases = true; }},
        {.id = "new_tokens_projected_again",
         .decision = "decode_projects",
         .title = "new tokens go through a projection more than once",
         .right = "project the n new tokens, four times",
         .symptom = "right, and slower than it need be",
         .question = "How often do you call k_proj?",
         .make = [](Choices& c) { c.change<Caching>().projects = Caching::Projects::more_than_once; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
