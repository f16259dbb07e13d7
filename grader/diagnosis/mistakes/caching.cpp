// Keys and values that are kept: where they are written, and what a new token sees of them.
#include "diagnosis/catalogue.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

using Lengths = Caching::Lengths;

// ---- writing ---------------------------------------------------------------------------------------------------

DECISION(.id = "cache_position", .stage = "", .lesson = {{"08", "As a formula"}},
         .pseudocode = "cache.k[b, h, lengths[b] + t] = k[b, h, t] for t < counts[b]; then lengths[b] += counts[b]");

constexpr const char* behind = "token t of sequence b is written at lengths[b] + t";

MISTAKE(
        .id = "written_at_the_start", .decision = "cache_position",
        .title = "every chunk is written at position 0, over what was there", .right = behind,
        .symptom =
            "the first chunk is right; then new tokens lie over the oldest, and where they belong zeros take part",
        .question = "At which position does the second chunk begin?", .make = [](Choices& c) {
            c.caching.position = [](const Lengths&, const Lengths&, std::size_t, Index t) { return t; };
        });

MISTAKE(
        .id = "written_where_the_first_stands", .decision = "cache_position",
        .title = "all sequences are written where the first one stands", .right = behind,
        .symptom = "right while all sequences are equally long", .question = "Which length do you write sequence 1 at?",
        .make = [](Choices& c) {
            c.caching.position = [](const Lengths& lengths, const Lengths&, std::size_t, Index t) {
                return lengths.front() + t;
            };
        });

MISTAKE(
        .id = "continued_from_the_first", .decision = "cache_position",
        .title = "all sequences go on from where the first one stands: what is written, and the length after it",
        .right = behind, .symptom = "right while all sequences are equally long",
        .question = "Which length does sequence 1 go on from?", .make = [](Choices& c) {
            c.caching.position = [](const Lengths& lengths, const Lengths&, std::size_t, Index t) {
                return lengths.front() + t;
            };
            c.caching.length_is_end = true;
        });

MISTAKE(
        .id = "written_behind_the_first", .decision = "cache_position",
        .title = "all sequences but the first are written behind what the first one holds by then", .right = behind,
        .symptom = "right with batch 1",
        .question = "Which length do you write sequence 1 at, and has it moved on already?", .make = [](Choices& c) {
            c.caching.position = [](const Lengths& lengths, const Lengths& counts, std::size_t b, Index t) {
                return lengths.front() + (b > 0 ? counts.front() : 0) + t;
            };
        });

MISTAKE(
        .id = "written_where_the_longest_stands", .decision = "cache_position",
        .title = "all sequences are written where the longest one stands", .right = behind,
        .symptom = "right while all sequences are equally long; else gaps remain",
        .question = "Which length do you write sequence 1 at?", .make = [](Choices& c) {
            c.caching.position = [](const Lengths& lengths, const Lengths&, std::size_t, Index t) {
                return *std::max_element(lengths.begin(), lengths.end()) + t;
            };
        });

DECISION(.id = "cache_lengths", .stage = "", .lesson = {{"08", "As a formula"}},
         .pseudocode = "after writing: lengths[b] += counts[b]");

MISTAKE(
        .id = "lengths_not_moved_on", .decision = "cache_lengths",
        .title = "tokens are written, but the lengths stay: the next chunk overwrites this one",
        .right = "lengths[b] += counts[b]", .symptom = "the first chunk is right; then the past is forgotten",
        .question = "What does lengths hold after the first call?",
        .make = [](Choices& c) { c.caching.lengths_stay = true; });

DECISION(.id = "cache_padding", .stage = "", .lesson = {{"08", "Sequences of different lengths"}},
         .pseudocode = "of n tokens the first counts[b] are real: only these are written, and counted");

MISTAKE(
        .id = "padding_is_kept", .decision = "cache_padding",
        .title = "counts are ignored: padding is written and counted as if it were tokens",
        .right = "only the first counts[b] tokens are real",
        .symptom = "right while counts[b] is n for every sequence; else later tokens attend to padding",
        .question = "How many tokens does sequence b grow by?",
        .make = [](Choices& c) { c.caching.padding_is_kept = true; });

MISTAKE(
        .id = "padding_is_counted", .decision = "cache_padding",
        .title = "the lengths move on by n, although only the first counts[b] tokens are written",
        .right = "lengths[b] += counts[b]",
        .symptom = "right while counts[b] is n for every sequence; else gaps of stale numbers count as tokens",
        .question = "How many tokens does sequence b grow by?",
        .make = [](Choices& c) { c.caching.padding_is_counted = true; });

DECISION(.id = "cache_halves", .stage = "", .lesson = {{"08", "In code"}},
         .pseudocode = "cache.k gets k, cache.v gets v; two tensors, each with a storage of its own");

constexpr const char* two_halves = "keys go to cache.k, values to cache.v";
constexpr const char* weights_right = "weights or values are right, the other is not; nothing crashes";

MISTAKE(
        .id = "keys_kept_as_values", .decision = "cache_halves",
        .title = "new keys are written into both halves of the cache", .right = two_halves, .symptom = weights_right,
        .question = "What do you copy into cache.v?", .make = [](Choices& c) { c.caching.keys_for_values = true; });

MISTAKE(
        .id = "values_kept_as_keys", .decision = "cache_halves",
        .title = "new values are written into both halves of the cache", .right = two_halves, .symptom = weights_right,
        .question = "What do you copy into cache.k?", .make = [](Choices& c) { c.caching.values_for_keys = true; });

MISTAKE(
        .id = "one_storage_for_keys_and_values", .decision = "cache_halves",
        .title = "k and v of a new cache are two names of one tensor",
        .right = "two tensors, each with a storage of its own: a copy of a Tensor is another view",
        .symptom = "what is written last is in both", .question = "Does writing to cache.v change cache.k?",
        .make = [](Choices& c) { c.caching.one_storage = true; });

DECISION(.id = "cache_storage", .stage = "", .lesson = {{"08", "What people get wrong"}},
         .pseudocode = "cache.k[b].slice(1, begin, end).copy_from(...): into the storage that the cache has");

constexpr const char* storage_stays = "write into the storage that the cache has";

MISTAKE(
        .id = "cache_storage_replaced", .decision = "cache_storage",
        .title = "another tensor is put in the place of the cache's: the whole past is copied for each chunk",
        .right = storage_stays, .symptom = "right, and slower the longer the text; views of the cache see nothing new",
        .question = "Does cache.k = ... write into the cache, or make it another?",
        .make = [](Choices& c) { c.caching.storage = Caching::Storage::replaced; });

MISTAKE(
        .id = "chunk_taken_for_the_cache", .decision = "cache_storage",
        .title = "a chunk that fills the cache is put in its place instead of being copied", .right = storage_stays,
        .symptom = "the cache shares its numbers with the caller: what he writes later changes the past",
        .question = "Whose numbers does cache.k = k point to?",
        .make = [](Choices& c) { c.caching.storage = Caching::Storage::replaced_by_a_chunk_that_fills_it; });

DECISION(.id = "cache_strides", .stage = "", .lesson = {{"08", "In code"}},
         .pseudocode = "head h of sequence b begins at (b·H + h)·C·d: the capacity C, not the length so far");

MISTAKE(
        .id = "heads_lie_as_far_apart_as_tokens", .decision = "cache_strides",
        .title = "heads of the cache are taken to lie as far apart as there are tokens",
        .right = "they lie as far apart as the capacity",
        .symptom = "head 0 of sequence 0 is right, all others are scrambled",
        .question = "How many rows lie between head 0 and head 1 of the cache?",
        .make = [](Choices& c) { c.caching.heads = Caching::Apart::tokens_so_far; });

MISTAKE(
        .id = "heads_lie_as_far_apart_as_new_tokens", .decision = "cache_strides",
        .title = "heads of the cache are taken to lie as far apart as those of the chunk",
        .right = "they lie as far apart as the capacity",
        .symptom = "head 0 is right, all others are scrambled; right where a chunk is as long as the capacity",
        .question = "Whose stride takes you from head 0 to head 1: that of the chunk, or that of the cache?",
        .make = [](Choices& c) { c.caching.heads = Caching::Apart::new_tokens; });

DECISION(.id = "cache_room", .stage = "", .lesson = {{"08", "What people get wrong"}},
         .pseudocode =
             "before anything is written, for every b: if lengths[b] + counts[b] > C throw std::invalid_argument");

constexpr const char* checked_first = "check all sequences, then write: what is refused leaves the cache as it was";

MISTAKE(
        .id = "full_cache_overwritten", .decision = "cache_room",
        .title = "a full cache is not refused: the newest tokens overwrite the oldest", .right = checked_first,
        .symptom = "right until the cache is full; then the beginning of the text is gone without a word",
        .question = "What does % capacity do to position C?",
        .make = [](Choices& c) { c.caching.room = Caching::Room::overwrites_the_oldest; });

MISTAKE(
        .id = "last_position_unused", .decision = "cache_room",
        .title = "the last position of the cache is never used: what would fill it is refused",
        .right = "lengths[b] + counts[b] may be C", .symptom = "one token less fits than was asked for",
        .question = "Is a cache of 4 full with 4 tokens, or with 3?",
        .make = [](Choices& c) { c.caching.room = Caching::Room::last_position_unused; });

MISTAKE(
        .id = "room_checked_while_writing", .decision = "cache_room",
        .title = "room is checked sequence by sequence while writing: what came before the full one stays written",
        .right = checked_first, .symptom = "after a refusal some sequences have grown and others have not",
        .question = "What does the cache hold if sequence 2 is refused?",
        .make = [](Choices& c) { c.caching.room = Caching::Room::refused_while_writing; });

MISTAKE(
        .id = "room_checked_token_by_token", .decision = "cache_room",
        .title = "room is checked token by token while writing: what came before the one too many stays written",
        .right = checked_first, .symptom = "after a refusal the cache holds a part of the chunk",
        .question = "What does the cache hold if the last token of sequence 2 is refused?",
        .make = [](Choices& c) { c.caching.room = Caching::Room::refused_while_writing_one_by_one; });

MISTAKE(
        .id = "room_asked_for_padding", .decision = "cache_room",
        .title = "room is asked for padding too: a chunk is refused although its tokens fit",
        .right = "lengths[b] + counts[b] <= C is enough: padding is not written",
        .symptom = "right while counts[b] is n for every sequence; else sequences end before their capacity",
        .question = "Which of the n tokens of sequence b need a place in the cache?",
        .make = [](Choices& c) { c.caching.room = Caching::Room::refused_for_padding; });

// ---- seeing ----------------------------------------------------------------------------------------------------

DECISION(.id = "decoding_mask", .stage = "mask", .lesson = {{"08", "As a formula"}},
         .pseudocode = "mask[b, 0, t, s] = s > lengths[b] + t: new token t of sequence b stands at lengths[b] + t");

constexpr const char* own_position = "new token t of sequence b stands at lengths[b] + t and sees up to itself";

MISTAKE(
        .id = "decoding_mask_of_an_empty_cache", .decision = "decoding_mask",
        .title = "the mask is that of an empty cache: new token t sees positions 0 to t", .right = own_position,
        .symptom = "the first chunk is right; later tokens see the beginning alone",
        .question = "At which position does the first new token stand?", .make = [](Choices& c) {
            c.caching.hidden = [](const Lengths&, std::size_t, Index t, Index s, Index, Index) { return s > t; };
        });

MISTAKE(
        .id = "decoding_mask_bottom_right", .decision = "decoding_mask",
        .title = "the mask has one offset, S - n, for all sequences", .right = own_position,
        .symptom = "right for the longest sequence; shorter ones see what lies behind their end",
        .question = "How many keys does each sequence have?", .make = [](Choices& c) {
            c.caching.hidden = [](const Lengths&, std::size_t, Index t, Index s, Index n, Index S) {
                return s > t + (S - n);
            };
        });

MISTAKE(
        .id = "decoding_mask_hides_itself", .decision = "decoding_mask", .title = "a token does not see itself",
        .right = own_position, .symptom = "the first token of all sees nothing; every other lacks the newest key",
        .question = "Is it s > position or s >= position?", .make = [](Choices& c) {
            c.caching.hidden = [](const Lengths& lengths, std::size_t b, Index t, Index s, Index, Index) {
                return s >= lengths[b] + t;
            };
        });

MISTAKE(
        .id = "decoding_mask_sees_one_ahead", .decision = "decoding_mask",
        .title = "a token sees one position too many", .right = own_position,
        .symptom = "single tokens see what lies behind the end; in chunks, their successor",
        .question = "Is it s > position or s > position + 1?", .make = [](Choices& c) {
            c.caching.hidden = [](const Lengths& lengths, std::size_t b, Index t, Index s, Index, Index) {
                return s > lengths[b] + t + 1;
            };
        });

MISTAKE(
        .id = "decoding_mask_of_first_sequence", .decision = "decoding_mask",
        .title = "the mask counts from the length of the first sequence, for all of them", .right = own_position,
        .symptom = "right while all sequences are equally long", .question = "Which length does sequence 1 count from?",
        .make = [](Choices& c) {
            c.caching.hidden = [](const Lengths& lengths, std::size_t, Index t, Index s, Index, Index) {
                return s > lengths.front() + t;
            };
        });

DECISION(.id = "decode_sees", .stage = "mask", .lesson = {{"08", "What people get wrong"}},
         .pseudocode = "before = lengths; append; attend to the whole cache under decoding_mask(before, n, S)");

constexpr const char* cache_up_to_itself = "append first; then each new token sees the cache up to its own position";

MISTAKE(
        .id = "decode_sees_what_was_before", .decision = "decode_sees",
        .title = "new tokens see the cache as it was before the chunk: neither themselves nor each other",
        .right = cache_up_to_itself, .symptom = "every token lacks its own key and value",
        .question = "Does a token attend to itself?",
        .make = [](Choices& c) { c.caching.sees = Caching::Sees::what_was_before; });

MISTAKE(
        .id = "decode_sees_the_whole_chunk", .decision = "decode_sees",
        .title = "nothing is masked inside a chunk: its tokens see each other, later ones included",
        .right = cache_up_to_itself, .symptom = "right token by token; a prompt sees its future",
        .question = "What does the first token of a prompt of 5 see?",
        .make = [](Choices& c) { c.caching.sees = Caching::Sees::whole_chunk; });

MISTAKE(
        .id = "decode_masks_by_lengths_after", .decision = "decode_sees",
        .title = "the mask is asked for after lengths have moved on: every token sees its own future and beyond",
        .right = cache_up_to_itself, .symptom = "stale numbers behind the end of a sequence are seen",
        .question = "Which lengths does decoding_mask want: before or after the new tokens?",
        .make = [](Choices& c) { c.caching.sees = Caching::Sees::up_to_its_length_after; });

MISTAKE(
        .id = "decode_sees_the_chunk_alone", .decision = "decode_sees",
        .title = "attention runs over the new tokens alone: the cache is filled and never read",
        .right = cache_up_to_itself, .symptom = "the first chunk is right; then the past is forgotten",
        .question = "Which keys do you hand to attention?",
        .make = [](Choices& c) { c.caching.sees = Caching::Sees::chunk_alone; });

MISTAKE(
        .id = "decode_sees_the_whole_cache", .decision = "decode_sees",
        .title = "nothing is masked: new tokens see every position of the cache, filled or not",
        .right = cache_up_to_itself, .symptom = "zeros and stale numbers behind the end take part",
        .question = "What lies behind lengths[b]?",
        .make = [](Choices& c) { c.caching.sees = Caching::Sees::whole_cache; });

MISTAKE(
        .id = "decode_masks_the_first_chunk_alone", .decision = "decode_sees",
        .title = "only the first chunk is masked: once the cache holds something, nothing is",
        .right = cache_up_to_itself,
        .symptom = "prefill is right, and so are single tokens of one sequence; later chunks see their future",
        .question = "Which keys may the first of three new tokens see if five are cached?",
        .make = [](Choices& c) { c.caching.sees = Caching::Sees::whole_cache_after_the_first_chunk; });

DECISION(.id = "decode_projects", .stage = "project", .lesson = {{"08", "In words"}},
         .pseudocode = "project x (B,n,D), the new tokens alone: 4·B·n rows in all, however long the past is");

MISTAKE(
        .id = "whole_capacity_projected", .decision = "decode_projects",
        .title = "as many rows are projected as the cache has positions, not as there are new tokens",
        .right = "project the n new tokens, four times", .symptom = "right, and as slow as without a cache",
        .question = "How many rows does each projection get?",
        .make = [](Choices& c) { c.caching.projects = Caching::Projects::whole_capacity; });

MISTAKE(
        .id = "new_tokens_projected_again", .decision = "decode_projects",
        .title = "new tokens go through a projection more than once", .right = "project the n new tokens, four times",
        .symptom = "right, and slower than it need be", .question = "How often do you call k_proj?",
        .make = [](Choices& c) { c.caching.projects = Caching::Projects::more_than_once; });

}  // namespace
}  // namespace headway::diagnosis
