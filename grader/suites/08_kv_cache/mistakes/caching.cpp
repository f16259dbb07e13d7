// Keys and values that are kept: where they are written.
#include "suites/08_kv_cache/caching.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

using Lengths = Caching::Lengths;

constexpr const char* behind = "token t of sequence b is written at lengths[b] + t";

constexpr const char* two_halves = "keys go to cache.k, values to cache.v";
constexpr const char* weights_right = "weights or values are right, the other is not; nothing crashes";

constexpr const char* storage_stays = "write into the storage that the cache has";

constexpr const char* checked_first = "check all sequences, then write: what is refused leaves the cache as it was";

}  // namespace

namespace chapters {

Chapter caching() {
    static constexpr Decision decisions[] = {
        {.id = "cache_position",
         .stage = "",
         .lesson = {{"08", "As a formula"}},
         .pseudocode = "cache.k[b, h, lengths[b] + t] = k[b, h, t] for t < counts[b]; then lengths[b] += counts[b]"},
        {.id = "cache_lengths",
         .stage = "",
         .lesson = {{"08", "As a formula"}},
         .pseudocode = "after writing: lengths[b] += counts[b]"},
        {.id = "cache_padding",
         .stage = "",
         .lesson = {{"08", "Sequences of different lengths"}},
         .pseudocode = "of n tokens the first counts[b] are real: only these are written, and counted"},
        {.id = "cache_halves",
         .stage = "",
         .lesson = {{"08", "In code"}},
         .pseudocode = "cache.k gets k, cache.v gets v; two tensors, each with a storage of its own"},
        {.id = "cache_storage",
         .stage = "",
         .lesson = {{"08", "What people get wrong"}},
         .pseudocode = "cache.k[b].slice(1, begin, end).copy_from(...): into the storage that the cache has"},
        {.id = "cache_strides",
         .stage = "",
         .lesson = {{"08", "In code"}},
         .pseudocode = "head h of sequence b begins at (b·H + h)·C·d: the capacity C, not the length so far"},
        {.id = "cache_room",
         .stage = "",
         .lesson = {{"08", "What people get wrong"}},
         .pseudocode =
             "before anything is written, for every b: if lengths[b] + counts[b] > C throw std::invalid_argument"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "written_at_the_start",
         .decision = "cache_position",
         .title = "every chunk is written at position 0, over what was there",
         .right = behind,
         .symptom =
             "the first chunk is right; then new tokens lie over the oldest, and where they belong zeros take part",
         .question = "At which position does the second chunk begin?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().position = [](const Lengths&, const Lengths&, std::size_t, Index t) { return t; };
             }},
        {.id = "written_where_the_first_stands",
         .decision = "cache_position",
         .title = "all sequences are written where the first one stands",
         .right = behind,
         .symptom = "right while all sequences are equally long",
         .question = "Which length do you write sequence 1 at?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().position = [](const Lengths& lengths, const Lengths&, std::size_t, Index t) {
                     return lengths.front() + t;
                 };
             }},
        {.id = "continued_from_the_first",
         .decision = "cache_position",
         .title = "all sequences go on from where the first one stands: what is written, and the length after it",
         .right = behind,
         .symptom = "right while all sequences are equally long",
         .question = "Which length does sequence 1 go on from?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().position = [](const Lengths& lengths, const Lengths&, std::size_t, Index t) {
                     return lengths.front() + t;
                 };
                 c.change<Caching>().length_is_end = true;
             }},
        {.id = "written_behind_the_first",
         .decision = "cache_position",
         .title = "all sequences but the first are written behind what the first one holds by then",
         .right = behind,
         .symptom = "right with batch 1",
         .question = "Which length do you write sequence 1 at, and has it moved on already?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().position = [](const Lengths& lengths, const Lengths& counts, std::size_t b,
                                                   Index t) {
                     return lengths.front() + (b > 0 ? counts.front() : 0) + t;
                 };
             }},
        {.id = "written_where_the_longest_stands",
         .decision = "cache_position",
         .title = "all sequences are written where the longest one stands",
         .right = behind,
         .symptom = "right while all sequences are equally long; else gaps remain",
         .question = "Which length do you write sequence 1 at?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().position = [](const Lengths& lengths, const Lengths&, std::size_t, Index t) {
                     return *std::max_element(lengths.begin(), lengths.end()) + t;
                 };
             }},
        {.id = "written_one_too_early",
         .decision = "cache_position",
         .title = "tokens are written one position too early: the first of a chunk lies over the last that was there",
         .right = behind,
         .symptom = "the newest position of each sequence stays empty",
         .question = "If 3 tokens are cached, which positions do they hold, and which is the next?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().position = [](const Lengths& lengths, const Lengths&, std::size_t b, Index t) {
                     return std::max<Index>(lengths[b] + t - 1, 0);
                 };
             }},
        {.id = "written_one_too_late",
         .decision = "cache_position",
         .title = "tokens are written one position too late: position lengths[b] stays empty",
         .right = behind,
         .symptom = "zeros take part in every answer, and the newest token does not",
         .question = "If 3 tokens are cached, which positions do they hold, and which is the next?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().position = [](const Lengths& lengths, const Lengths&, std::size_t b, Index t) {
                     return lengths[b] + t + 1;
                 };
             }},
        {.id = "chunk_written_backwards",
         .decision = "cache_position",
         .title = "the tokens of a chunk are written in reverse order",
         .right = behind,
         .symptom = "right token by token; in a chunk each token sees its successors",
         .question = "Where does the last token of a chunk of 3 belong?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().token = [](const Lengths& counts, std::size_t b, Index t, Index) {
                     return counts[b] - 1 - t;
                 };
             }},
        {.id = "last_tokens_of_the_chunk_written",
         .decision = "cache_padding",
         .title = "of n tokens the last counts[b] are written: padding is taken to stand in front",
         .right = "the first counts[b] tokens are real; padding stands behind them",
         .symptom = "right while counts[b] is n for every sequence; else padding is kept and tokens are lost",
         .question = "At which end of a short sequence is the padding?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().token = [](const Lengths& counts, std::size_t b, Index t, Index n) {
                     return n - counts[b] + t;
                 };
             }},
        {.id = "padding_is_written",
         .decision = "cache_padding",
         .title = "padding is written too, behind the tokens; the lengths are right",
         .right = "only the first counts[b] tokens are written",
         .symptom = "overwritten by the next chunk; until then the cache holds numbers that nobody cached",
         .question = "What does the cache hold behind lengths[b]?",
         .make = [](Choices& c) { c.change<Caching>().padding_is_written = true; }},
        {.id = "lengths_not_moved_on",
         .decision = "cache_lengths",
         .title = "tokens are written, but the lengths stay: the next chunk overwrites this one",
         .right = "lengths[b] += counts[b]",
         .symptom = "the first chunk is right; then the past is forgotten",
         .question = "What does lengths hold after the first call?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().grows_by = [](const Lengths&, std::size_t, Index) -> Index { return 0; };
             }},
        {.id = "decode_leaves_the_lengths",
         .decision = "cache_lengths",
         .title = "decode writes new keys and values, but the lengths of the cache stay: the next call overwrites them",
         .right = "lengths[b] += counts[b], in decode too if it does not call append",
         .symptom = "the first chunk is right; then the past is forgotten",
         .question = "What does cache.lengths hold after your decode?",
         .make = [](Choices& c) { c.change<Caching>().decode_moves_lengths = false; }},
        {.id = "lengths_moved_on_by_the_first_count",
         .decision = "cache_lengths",
         .title = "every length moves on by counts[0], the count of sequence 0",
         .right = "lengths[b] += counts[b]",
         .symptom = "right while all counts are equal; else some sequences lose tokens, and others count stale numbers",
         .question = "Which count does the length of sequence 1 move on by?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().grows_by = [](const Lengths& counts, std::size_t, Index) {
                     return counts.front();
                 };
             }},
        {.id = "lengths_moved_on_by_the_largest_count",
         .decision = "cache_lengths",
         .title = "every length moves on by the largest count",
         .right = "lengths[b] += counts[b]",
         .symptom = "right while all counts are equal; else gaps of stale numbers count as tokens",
         .question = "Which count does the length of sequence 1 move on by?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().grows_by = [](const Lengths& counts, std::size_t, Index) {
                     return *std::max_element(counts.begin(), counts.end());
                 };
             }},
        {.id = "lengths_moved_on_by_one",
         .decision = "cache_lengths",
         .title = "every length moves on by 1, however many tokens were written",
         .right = "lengths[b] += counts[b]",
         .symptom = "right token by token; of a longer chunk all but the first token is overwritten by the next",
         .question = "How many tokens may one call bring?",
         .make =
             [](Choices& c) {
                 c.change<Caching>().grows_by = [](const Lengths&, std::size_t, Index) -> Index { return 1; };
             }},
        {.id = "padding_is_kept",
         .decision = "cache_padding",
         .title = "counts are ignored: padding is written and counted as if it were tokens",
         .right = "only the first counts[b] tokens are real",
         .symptom = "right while counts[b] is n for every sequence; else later tokens attend to padding",
         .question = "How many tokens does sequence b grow by?",
         .make = [](Choices& c) { c.change<Caching>().padding_is_kept = true; }},
        {.id = "padding_is_counted",
         .decision = "cache_padding",
         .title = "the lengths move on by n, although only the first counts[b] tokens are written",
         .right = "lengths[b] += counts[b]",
         .symptom = "right while counts[b] is n for every sequence; else gaps of stale numbers count as tokens",
         .question = "How many tokens does sequence b grow by?",
         .make =
             [](Choices& c) { c.change<Caching>().grows_by = [](const Lengths&, std::size_t, Index n) { return n; }; }},
        {.id = "keys_kept_as_values",
         .decision = "cache_halves",
         .title = "new keys are written into both halves of the cache",
         .right = two_halves,
         .symptom = weights_right,
         .question = "What do you copy into cache.v?",
         .make = [](Choices& c) { c.change<Caching>().keys_for_values = true; }},
        {.id = "values_kept_as_keys",
         .decision = "cache_halves",
         .title = "new values are written into both halves of the cache",
         .right = two_halves,
         .symptom = weights_right,
         .question = "What do you copy into cache.k?",
         .make = [](Choices& c) { c.change<Caching>().values_for_keys = true; }},
        {.id = "one_storage_for_keys_and_values",
         .decision = "cache_halves",
         .title = "k and v of a new cache are two names of one tensor",
         .right = "two tensors, each with a storage of its own: a copy of a Tensor is another view",
         .symptom = "what is written last is in both",
         .question = "Does writing to cache.v change cache.k?",
         .make = [](Choices& c) { c.change<Caching>().one_storage = true; }},
        {.id = "one_storage_for_all_caches",
         .decision = "cache_storage",
         .title = "every new cache of the same sizes has the same storage",
         .right = "make_cache makes tensors of its own for each cache: Tensor::zeros, at every call",
         .symptom = "what one conversation writes shows in the others",
         .question = "Whose numbers does the second cache hold: its own, or those of the first?",
         .make = [](Choices& c) { c.change<Caching>().one_for_all = true; }},
        {.id = "cache_holds_tokens_before_heads",
         .decision = "cache_strides",
         .title = "a new cache is of shape (B, C, H, d): tokens before heads",
         .right = "(B, H, C, d): each head's tokens lie side by side, as attention reads them",
         .symptom = "nothing that expects (B, H, C, d) fits, unless H is C",
         .question = "Which axis of cache.k do new tokens lie along?",
         .make = [](Choices& c) { c.change<Caching>().tokens_before_heads = true; }},
        {.id = "cache_has_a_length_for_each_head",
         .decision = "cache_lengths",
         .title = "a new cache has B·H lengths, one for each head, instead of B",
         .right = "one length for each sequence: all of its heads hold the same tokens",
         .symptom = "counts and lengths do not line up",
         .question = "Can two heads of one sequence hold different numbers of tokens?",
         .make = [](Choices& c) { c.change<Caching>().length_of_each_head = true; }},
        {.id = "written_into_a_copy",
         .decision = "cache_storage",
         .title = "new keys and values are written into a copy: the cache itself never changes",
         .right = storage_stays,
         .symptom = "the lengths move on over numbers that were never written",
         .question = "Does what you copy into share its storage with cache.k, or is it a clone?",
         .make = [](Choices& c) { c.change<Caching>().writes = false; }},
        {.id = "cache_storage_replaced",
         .decision = "cache_storage",
         .title = "another tensor is put in the place of the cache's: the whole past is copied for each chunk",
         .right = storage_stays,
         .symptom = "right, and slower the longer the text; views of the cache see nothing new",
         .question = "Does cache.k = ... write into the cache, or make it another?",
         .make = [](Choices& c) { c.change<Caching>().storage = Caching::Storage::replaced; }},
        {.id = "chunk_taken_for_the_cache",
         .decision = "cache_storage",
         .title = "a chunk that fills the cache is put in its place instead of being copied",
         .right = storage_stays,
         .symptom = "the cache shares its numbers with the caller: what he writes later changes the past",
         .question = "Whose numbers does cache.k = k point to?",
         .make = [](Choices& c) { c.change<Caching>().storage = Caching::Storage::replaced_by_a_chunk_that_fills_it; }},
        {.id = "heads_lie_as_far_apart_as_tokens",
         .decision = "cache_strides",
         .title = "heads of the cache are taken to lie as far apart as there are tokens",
         .right = "they lie as far apart as the capacity",
         .symptom = "head 0 of sequence 0 is right, all others are scrambled",
         .question = "How many rows lie between head 0 and head 1 of the cache?",
         .make = [](Choices& c) { c.change<Caching>().heads = Caching::Apart::tokens_so_far; }},
        {.id = "heads_lie_as_far_apart_as_new_tokens",
         .decision = "cache_strides",
         .title = "heads of the cache are taken to lie as far apart as those of the chunk",
         .right = "they lie as far apart as the capacity",
         .symptom = "head 0 is right, all others are scrambled; right where a chunk is as long as the capacity",
         .question = "Whose stride takes you from head 0 to head 1: that of the chunk, or that of the cache?",
         .make = [](Choices& c) { c.change<Caching>().heads = Caching::Apart::new_tokens; }},
        {.id = "full_cache_overwritten",
         .decision = "cache_room",
         .title = "a full cache is not refused: the newest tokens overwrite the oldest",
         .right = checked_first,
         .symptom = "right until the cache is full; then the beginning of the text is gone without a word",
         .question = "What does % capacity do to position C?",
         .make = [](Choices& c) { c.change<Caching>().when_full = Caching::WhenFull::overwrites_the_oldest; }},
        {.id = "last_position_unused",
         .decision = "cache_room",
         .title = "the last position of the cache is never used: what would fill it is refused",
         .right = "lengths[b] + counts[b] may be C",
         .symptom = "one token less fits than was asked for",
         .question = "Is a cache of 4 full with 4 tokens, or with 3?",
         .make = [](Choices& c) { c.change<Caching>().when_full = Caching::WhenFull::last_position_unused; }},
        {.id = "room_checked_while_writing",
         .decision = "cache_room",
         .title = "room is checked sequence by sequence while writing: what came before the full one stays written",
         .right = checked_first,
         .symptom = "after a refusal some sequences have grown and others have not",
         .question = "What does the cache hold if sequence 2 is refused?",
         .make = [](Choices& c) { c.change<Caching>().when_full = Caching::WhenFull::refused_while_writing; }},
        {.id = "room_checked_token_by_token",
         .decision = "cache_room",
         .title = "room is checked token by token while writing: what came before the one too many stays written",
         .right = checked_first,
         .symptom = "after a refusal the cache holds a part of the chunk",
         .question = "What does the cache hold if the last token of sequence 2 is refused?",
         .make =
             [](Choices& c) { c.change<Caching>().when_full = Caching::WhenFull::refused_while_writing_one_by_one; }},
        {.id = "room_asked_for_padding",
         .decision = "cache_room",
         .title = "room is asked for padding too: a chunk is refused although its tokens fit",
         .right = "lengths[b] + counts[b] <= C is enough: padding is not written",
         .symptom = "right while counts[b] is n for every sequence; else sequences end before their capacity",
         .question = "Which of the n tokens of sequence b need a place in the cache?",
         .make = [](Choices& c) { c.change<Caching>().when_full = Caching::WhenFull::refused_for_padding; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
