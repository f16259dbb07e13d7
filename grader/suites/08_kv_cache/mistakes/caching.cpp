// Keys and values that are kept: at which positions, and what the lengths become.
#include "suites/08_kv_cache/caching.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

using Lengths = Caching::Lengths;

constexpr const char* behind = "token t of sequence b is written at lengths[b] + t";

constexpr const char* passed_over =
    "a sequence that gets no token is passed over (continue), and the next one has its turn";
constexpr const char* next_ones_lost = "right while every sequence gets a token, or only the last ones get none";
constexpr const char* ends_or_skips = "Does your loop over the batch go on after a sequence whose count is 0?";

}  // namespace

namespace chapters {

Chapter caching() {
    static constexpr Decision decisions[] = {
        {.id = "cache_position",
         .stage = Stage::none,
         .lesson = {{"08", "As a formula"}},
         .pseudocode = "cache.k[b, h, lengths[b] + t] = k[b, h, t] for t < counts[b]; then lengths[b] += counts[b]"},
        {.id = "cache_lengths",
         .stage = Stage::none,
         .lesson = {{"08", "As a formula"}},
         .pseudocode = "after writing: lengths[b] += counts[b]"},
        {.id = "cache_padding",
         .stage = Stage::none,
         .lesson = {{"08", "Sequences of different lengths"}},
         .pseudocode = "of n tokens the first counts[b] are real: only these are written, and counted"},
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
        {.id = "padding_of_values_is_written",
         .decision = "cache_padding",
         .title = "all n tokens of v are written, padding too; of k only the first counts[b]",
         .right = "of k and of v only the first counts[b] tokens are written",
         .symptom = "overwritten by the next chunk; throws where there is no room for the padding",
         .question = "How many tokens of v does your append copy, and how many of k?",
         .make = [](Choices& c) { c.change<Caching>().padding_of_values_is_written = true; }},
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
        {.id = "lengths_moved_on_for_each_head",
         .decision = "cache_lengths",
         .title = "a length moves on once for each head: head 1 is written behind the tokens of head 0",
         .right = "lengths[b] += counts[b], once all heads of sequence b are written",
         .symptom = "right for one head; with several they lie at different positions, and the cache is soon full",
         .question = "In which of your loops does the length move on?",
         .make = [](Choices& c) { c.change<Caching>().moves_on_for_each_head = true; }},
        {.id = "padding_is_kept",
         .decision = "cache_padding",
         .title = "counts are ignored: padding is written and counted as if it were tokens",
         .right = "only the first counts[b] tokens are real",
         .symptom = "right while counts[b] is n for every sequence; else later tokens attend to padding",
         .question = "How many tokens does sequence b grow by?",
         .make = [](Choices& c) { c.change<Caching>().padding_is_kept = true; }},
        {.id = "padding_is_kept_in_room",
         .decision = "cache_padding",
         .title = "padding is written and counted as if it were tokens, as far as there is room for it",
         .right = "only the first counts[b] tokens are real",
         .symptom = "right while counts[b] is n for every sequence; else later tokens attend to padding",
         .question = "How many tokens does sequence b grow by?",
         .make = [](Choices& c) { c.change<Caching>().padding_is_kept_in_room = true; }},
        {.id = "padding_is_counted",
         .decision = "cache_padding",
         .title = "the lengths move on by n, although only the first counts[b] tokens are written",
         .right = "lengths[b] += counts[b]",
         .symptom = "right while counts[b] is n for every sequence; else gaps of stale numbers count as tokens",
         .question = "How many tokens does sequence b grow by?",
         .make =
             [](Choices& c) { c.change<Caching>().grows_by = [](const Lengths&, std::size_t, Index n) { return n; }; }},
        {.id = "refuses_counts_of_zero",
         .decision = "cache_padding",
         .title = "a count of 0 is refused",
         .right = "counts are in [0, n]: with 0, all of a sequence's tokens are padding, and it stays as it is",
         .symptom = "throws where one sequence of a batch has ended and the others go on",
         .question = "What does the header let counts[b] be?",
         .make = [](Choices& c) { c.change<Caching>().counts_of_zero_refused = true; }},
        {.id = "append_ends_at_a_count_of_zero",
         .decision = "cache_padding",
         .title = "a count of 0 ends append's loop over the sequences: nothing is written for those after it",
         .right = passed_over,
         .symptom = next_ones_lost,
         .question = ends_or_skips,
         .make = [](Choices& c) { c.change<Caching>().append_ends_at_a_count_of_zero = true; }},
        {.id = "decode_ends_at_a_count_of_zero",
         .decision = "cache_padding",
         .title = "a count of 0 ends decode's loop over the sequences: the outputs of those after it stay 0",
         .right = passed_over,
         .symptom = next_ones_lost,
         .question = ends_or_skips,
         .make = [](Choices& c) { c.change<Caching>().after_none = Caching::AfterNone::zeros; }},
        {.id = "context_ends_at_a_count_of_zero",
         .decision = "cache_padding",
         .title =
             "a count of 0 ends decode's loop over the sequences: the context of those after it stays 0, and out_proj "
             "makes its bias of that",
         .right = passed_over,
         .symptom = next_ones_lost,
         .question = ends_or_skips,
         .make = [](Choices& c) { c.change<Caching>().after_none = Caching::AfterNone::zeros_before_the_projection; }},
        {.id = "cache_has_a_length_for_each_head",
         .decision = "cache_lengths",
         .title = "a new cache has B·H lengths, one for each head, instead of B",
         .right = "one length for each sequence: all of its heads hold the same tokens",
         .symptom = "counts and lengths do not line up",
         .question = "Can two heads of one sequence hold different numbers of tokens?",
         .make = [](Choices& c) { c.change<Caching>().length_of_each_head = true; }},
        {.id = "cache_lengths_in_braces",
         .decision = "cache_lengths",
         .title = "a new cache has the two lengths B and 0: in braces, {B, 0} is a list of these numbers",
         .right = "B zeros are std::vector<Index>(B, 0), in parentheses",
         .symptom = "the first sequence seems to hold B tokens, and only B = 2 has the right number of lengths",
         .question = "What is std::vector<Index>{5, 0}, and what is std::vector<Index>(5, 0)?",
         .make = [](Choices& c) { c.change<Caching>().lengths_in_braces = true; }},
        {.id = "cache_length_in_braces",
         .decision = "cache_lengths",
         .title = "a new cache has one length, and that is B: in braces, {B} is a list of the one number B",
         .right = "B zeros are std::vector<Index>(B, 0), in parentheses",
         .symptom = "the first sequence seems to hold B tokens, and the others have no length",
         .question = "What is std::vector<Index>{5}, and what is std::vector<Index>(5, 0)?",
         .make = [](Choices& c) { c.change<Caching>().length_in_braces = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
