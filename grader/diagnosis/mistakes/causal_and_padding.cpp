// The two masks that everybody needs.
#include "diagnosis/chapters.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

using Future = bool (*)(Index, Index, Index, Index);

/// The mask function and the causal option go wrong alike.
void see(Choices& c, Future future) { c.masks.causal = c.masking.future = future; }

}  // namespace

Chapter chapters::causal_and_padding() {
    static constexpr Decision decisions[] = {
        {.id = "causal",
         .stage = Stage::mask,
         .lesson = {{"03", "When there are more keys than queries"}, {"05", "What people get wrong"}},
         .pseudocode = "mask (T,S): mask[t,s] = s > t + (S - T)"},
        {.id = "padding",
         .stage = Stage::mask,
         .lesson = {{"03", "Masks: which keys do not exist"}},
         .pseudocode = "mask (B,1,1,S): mask[b,0,0,s] = s >= lengths[b]"},
        {.id = "causal_polarity",
         .stage = Stage::mask,
         .lesson = {{"03", "Masks: which keys do not exist"}},
         .pseudocode = "mask[t,s] = true where query t may NOT see key s"},
        {.id = "padding_polarity",
         .stage = Stage::mask,
         .lesson = {{"03", "Masks: which keys do not exist"}},
         .pseudocode = "mask[b,0,0,s] = true where s is padding"},
        {.id = "padding_axes",
         .stage = Stage::mask,
         .lesson = {{"03", "Masks: which keys do not exist"}},
         .pseudocode = "mask (B,1,1,S): broadcasts over heads and queries, blocks keys"},
    };
    static constexpr Mistake mistakes[] = {
        // Whatever was meant where nothing is blocked, this is what can be seen.
        {.id = "causal_nothing",
         .decision = "causal",
         .title = "the causal mask blocks nothing",
         .right = "block s > t + (S - T)",
         .symptom = "training is perfect, generation is garbage: it copies the answer",
         .question = "May query 0 see key 3? Print your mask for T = S = 4.",
         .shipped = {"entrenar: https://github.com/paiml/entrenar/issues/310",
                     "Keras: https://github.com/keras-team/keras/issues/23038"},
         .make = [](Choices& c) { see(c, [](Index, Index, Index, Index) { return false; }); }},
        {.id = "causal_where_square_alone",
         .decision = "causal",
         .title = "the causal mask blocks something only where there are as many queries as keys",
         .right = "block s > t + (S - T), whatever T and S are",
         .symptom = "right in training; with cached keys, or a chunk of new tokens, the future is seen",
         .question = "What does your mask block for T = 2 and S = 4?",
         .make = [](Choices& c) { see(c, [](Index t, Index s, Index T, Index S) { return T == S && s > t; }); }},
        {.id = "causal_blocks_diagonal",
         .decision = "causal",
         .title = "the causal mask blocks the diagonal too: a token may not see itself",
         .right = "block s > t + (S - T), not >=",
         .symptom = "the first token sees nothing",
         .question = "Which keys may the first query of a sequence see?",
         .shipped = {"former: https://github.com/pbloem/former/issues/10"},
         .make = [](Choices& c) { see(c, [](Index t, Index s, Index T, Index S) { return s >= t + (S - T); }); }},
        {.id = "causal_one_ahead",
         .decision = "causal",
         .title = "the causal mask lets each token see the next one",
         .right = "block s > t + (S - T)",
         .symptom = "training is perfect, generation is garbage: it copies the answer",
         .question = "Which is the last key that query 0 may see?",
         .make = [](Choices& c) { see(c, [](Index t, Index s, Index T, Index S) { return s > t + (S - T) + 1; }); }},
        {.id = "causal_blocks_past",
         .decision = "causal",
         .title = "the causal mask takes the wrong triangle: it blocks the past instead of the future",
         .right = "block s > t + (S - T)",
         .symptom = "each token sees what comes after it",
         .question = "May query 0 see key 3? Print your mask for T = S = 4.",
         .shipped = {"PyTorch examples: https://github.com/pytorch/examples/issues/649"},
         .make = [](Choices& c) { see(c, [](Index t, Index s, Index T, Index S) { return s < t + (S - T); }); }},
        {.id = "causal_top_left",
         .decision = "causal",
         .title = "the causal mask aligns the first query with the first key",
         .right = "the last query sees every key: block s > t + (S - T)",
         .symptom = "right for T = S; with a cache of earlier keys, queries see too little",
         .question = "With 2 queries after 3 cached keys: which keys may the last query see?",
         .shipped = {"flash-attention: https://github.com/Dao-AILab/flash-attention/issues/517",
                     "ExecuTorch: https://github.com/pytorch/executorch/pull/21749"},
         .make = [](Choices& c) { see(c, [](Index t, Index s, Index, Index) { return s > t; }); }},
        {.id = "causal_offset_sign",
         .decision = "causal",
         .title = "the causal mask is shifted by T - S instead of S - T",
         .right = "block s > t + (S - T)",
         .symptom = "right for T = S; with cached keys almost nothing is seen",
         .question = "Try T = 1, S = 4: which keys does your mask block?",
         .make = [](Choices& c) { see(c, [](Index t, Index s, Index T, Index S) { return s > t + (T - S); }); }},
        {.id = "causal_offset_never_negative",
         .decision = "causal",
         .title = "the causal mask is shifted by S - T only where there are more keys than queries",
         .right = "block s > t + (S - T), where S - T is negative, too",
         .symptom = "right for T <= S; with more queries than keys, queries see too much",
         .question = "With 5 queries and 3 keys: which keys may the first query see?",
         .make =
             [](Choices& c) {
                 see(c, [](Index t, Index s, Index T, Index S) { return s > t + std::max<Index>(S - T, 0); });
             }},
        {.id = "causal_blind_queries_see_all",
         .decision = "causal",
         .title = "queries that may see no key see all of them: t + (S - T) is taken for a large number where it is "
                  "below 0",
         .right = "block s > t + (S - T), which is every key where t + (S - T) is negative",
         .symptom = "right for T <= S; with more queries than keys, the first ones see the future",
         .question = "With 5 queries and 3 keys: what is t + (S - T) for the first query, in the type that you use?",
         .make =
             [](Choices& c) {
                 see(c, [](Index t, Index s, Index T, Index S) { return t + (S - T) >= 0 && s > t + (S - T); });
             }},
        {.id = "causal_border_below_zero",
         .decision = "causal",
         .title = "queries that stand 2 or more before the first key see every key: t + (S - T) + 1 is taken for a "
                  "large number where it is below 0",
         .right = "block s > t + (S - T), which is every key where t + (S - T) is negative",
         .symptom = "right for T <= S + 1; with more queries, those at the beginning see the future",
         .question = "With 5 queries and 3 keys: what is t + (S - T) + 1 for the first query, in the type that you "
                     "use?",
         .make =
             [](Choices& c) {
                 see(c, [](Index t, Index s, Index T, Index S) { return t + (S - T) + 1 >= 0 && s > t + (S - T); });
             }},
        {.id = "causal_blind_queries_see_the_first_key",
         .decision = "causal",
         .title = "queries that may see no key see the first one: t + (S - T) is taken for 0 where it is below",
         .right = "block s > t + (S - T), which is every key where t + (S - T) is negative",
         .symptom = "right for T <= S; with more queries than keys, the first ones see the future",
         .question = "With 5 queries and 3 keys: which keys may the first query see?",
         .make =
             [](Choices& c) {
                 see(c, [](Index t, Index s, Index T, Index S) { return s > std::max<Index>(t + (S - T), 0); });
             }},
        {.id = "causal_only_diagonal",
         .decision = "causal",
         .title = "the causal mask leaves the diagonal only",
         .right = "a token may see itself and the past",
         .symptom = "tokens never exchange anything",
         .question = "May query 3 see key 0?",
         .make = [](Choices& c) { see(c, [](Index t, Index s, Index T, Index S) { return s != t + (S - T); }); }},
        {.id = "causal_inverted",
         .decision = "causal_polarity",
         .title = "the causal mask is the wrong way round: true where a token may look",
         .right = "true means: may not attend",
         .symptom = "each token sees the future only",
         .question = "Is mask[0, 0] true or false, and may token 0 see itself?",
         .shipped = {"LLMs-from-scratch: https://github.com/rasbt/LLMs-from-scratch/pull/1062"},
         .make =
             [](Choices& c) {
                 c.masks.causal_turned = true;
                 c.masking.future = [](Index t, Index s, Index T, Index S) { return s <= t + (S - T); };
             }},
        {.id = "causal_axes_swapped",
         .decision = "causal_polarity",
         .title = "the causal mask is (S, T): a row for each key, and a column for each query",
         .right = "(T, S): row t says what query t may not see",
         .symptom = "where T = S nothing crashes: each token is kept from its past instead of its future",
         .question = "What is the shape of your mask for T = 2 and S = 5?",
         .make = [](Choices& c) { c.masks.causal_axes_swapped = true; }},
        {.id = "padding_one_open",
         .decision = "padding",
         .title = "the padding mask leaves one padded key open in each sequence that has padding",
         .right = "block s >= lengths[b]",
         .symptom = "a sequence that is shorter than S attends to one token of padding",
         .question = "For length 2: is key 2 a token or padding?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t b, Index s, Index) { return s > n[b]; };
             }},
        {.id = "padding_one_blocked",
         .decision = "padding",
         .title = "the padding mask blocks the last token of each sequence",
         .right = "block s >= lengths[b]",
         .symptom = "the last token is never seen",
         .question = "For length 2: is key 1 a token or padding?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t b, Index s, Index) {
                     return s >= n[b] - 1;
                 };
             }},
        {.id = "padding_shortens_full_sequences",
         .decision = "padding",
         .title = "the last key is blocked even where a sequence is as long as S",
         .right = "block s >= lengths[b]: nothing, where lengths[b] = S",
         .symptom = "the longest sentence of each batch loses its last token",
         .question = "Which keys does your mask block for length S?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t b, Index s, Index S) {
                     return s >= std::min(n[b], S - 1);
                 };
             }},
        {.id = "padding_length_zero_is_full",
         .decision = "padding",
         .title = "a length of 0 is taken for a sequence without padding",
         .right = "a sequence of no tokens is all padding: each s >= 0 is blocked",
         .symptom = "right for every other sequence; an empty one attends to padding",
         .question = "Which keys does your code block where lengths[b] is 0?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t b, Index s, Index) {
                     return n[b] != 0 && s >= n[b];
                 };
             }},
        {.id = "padding_keeps_one_token",
         .decision = "padding",
         .title = "a sequence of length 0 is taken for one of length 1: its first key stays open",
         .right = "block s >= length, which are all keys where the length is 0",
         .symptom = "right for every other sequence; an empty one attends to padding",
         .question = "Which keys does your mask block for length 0?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t b, Index s, Index) {
                     return s >= std::max(Index{1}, n[b]);
                 };
             }},
        {.id = "padding_in_front",
         .decision = "padding",
         .title = "the padding mask assumes the padding in front of the tokens",
         .right = "sequences end early: block s >= lengths[b]",
         .symptom = "tokens are blocked and padding is seen",
         .question = "Where does the padding of a short sequence stand?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t b, Index s, Index S) {
                     return s < S - n[b];
                 };
             }},
        {.id = "padding_to_the_longest",
         .decision = "padding",
         .title = "every sequence is cut at the length of the longest one",
         .right = "block s >= lengths[b]",
         .symptom = "shorter sequences attend to padding",
         .question = "Which length does sequence 1 use?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t, Index s, Index) {
                     return s >= *std::max_element(n.begin(), n.end());
                 };
             }},
        {.id = "padding_inverted",
         .decision = "padding_polarity",
         .title = "the padding mask is the wrong way round: it blocks the tokens",
         .right = "true means: may not attend; block s >= lengths[b]",
         .symptom = "only padding is seen",
         .question = "Is the entry of a real token true or false?",
         .make = [](Choices& c) { c.masks.padding_turned = true; }},
        {.id = "padding_of_first",
         .decision = "padding",
         .title = "every sequence is cut at the length of the first one",
         .right = "block s >= lengths[b]",
         .symptom = "right with batch 1",
         .question = "Which length does sequence 1 use?",
         .make =
             [](Choices& c) {
                 c.masks.padding = [](std::span<const Index> n, std::size_t, Index s, Index) { return s >= n[0]; };
             }},
        {.id = "padding_without_axes",
         .decision = "padding_axes",
         .title = "the padding mask has shape (B, S): it lines up sequences with queries",
         .right = "it should be (B, 1, 1, S), to broadcast over heads and queries",
         .symptom = "fails where B and T differ, and blocks the wrong keys where they do not",
         .question = "To which axes of (B, H, T, S) do the axes of a (B, S) mask broadcast?",
         .make = [](Choices& c) { c.masks.padding_axes = PaddingAxes::none; }},
        {.id = "padding_on_keys_and_queries",
         .decision = "padding_axes",
         .title = "the padding mask has shape (B, 1, S, S): it blocks the rows of padded queries too",
         .right = "it should be (B, 1, 1, S): only keys s >= lengths[b] are blocked, for every query",
         .symptom = "as large as the scores, and only for as many queries as keys; padded queries see nothing",
         .question = "Does anybody look at the outputs of padded queries?",
         .make = [](Choices& c) { c.masks.padding_axes = PaddingAxes::keys_and_queries; }},
        {.id = "padding_on_queries",
         .decision = "padding_axes",
         .title = "the padding mask has shape (B, 1, S, 1): it blocks queries instead of keys",
         .right = "it should be (B, 1, 1, S)",
         .symptom = "padded queries see nothing, and padded keys are seen by all",
         .question = "Which axis of (B, H, T, S) are the keys?",
         .shipped =
             {"hyunwoongko/transformer: https://github.com/hyunwoongko/transformer/pull/40",
              "attention-is-all-you-need-keras: https://github.com/lsdefine/attention-is-all-you-need-keras/issues/16"},
         .make = [](Choices& c) { c.masks.padding_axes = PaddingAxes::queries; }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
