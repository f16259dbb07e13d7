// What a step of decoding sees.
#include "suites/13_positions/rotary.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* own_text = "new token t sees columns padding[b] to P + t of its text";

}  // namespace

namespace chapters {

Chapter rotary_sight() {
    static constexpr Decision decisions[] = {
        {.id = "rotary_sight",
         .stage = Stage::mask,
         .lesson = {{"13", "Padding on the left"}},
         .pseudocode = "mask[b, 0, t, s] = s < padding[b] or s > P + t, (B,1,T,P+T)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "left_padding_seen",
         .decision = "rotary_sight",
         .title = "padding on the left is not masked",
         .right = own_text,
         .symptom = "right for the longest text; shorter ones attend to padding",
         .question = "What is in column 0 of a text with three tokens of padding?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index, Index P, Index t, Index s, Index) { return s > P + t; };
             }},
        {.id = "left_padding_seen_by_one_token",
         .decision = "rotary_sight",
         .title = "one new token alone has no mask: it sees padding, also where it is padding itself",
         .right = own_text,
         .symptom = "right for prompts, and without padding; each further token sees the padding before its text",
         .question = "Which columns does a single new token see, if its text begins with 3 of padding?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index T) {
                     return s > P + t || (T > 1 && s < padding);
                 };
             }},
        {.id = "left_padding_seen_behind_a_cache",
         .decision = "rotary_sight",
         .title = "padding is masked in the first call alone: with a cache, its keys are seen",
         .right = own_text,
         .symptom = "the prompt is right; then shorter texts attend to padding",
         .question = "Is the padding gone once its keys are in the cache?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return (P == 0 && s < padding) || s > P + t;
                 };
             }},
        {.id = "left_padding_counted_from_the_new",
         .decision = "rotary_sight",
         .title = "padding is blocked in the first columns of the new tokens, not in those of the text",
         .right = own_text,
         .symptom = "the prompt is right; then padding in the cache is seen, and a real token does not see itself",
         .question = "In which columns of P + T does the padding of a text stand, once it is in the cache?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return (s >= P && s - P < padding) || s > P + t;
                 };
             }},
        {.id = "left_padding_counted_on_from_the_cache",
         .decision = "rotary_sight",
         .title = "padding is counted from the first new token on: all that is in the cache is blocked with it",
         .right = own_text,
         .symptom = "the prompt is right; then the past is forgotten, and new tokens are taken for padding",
         .question = "From which column of P + T on do you count padding[b]?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return s < P + padding || s > P + t;
                 };
             }},
        {.id = "left_padding_in_the_cache_seen",
         .decision = "rotary_sight",
         .title = "padding is blocked among the new tokens alone: that in the cache is seen",
         .right = own_text,
         .symptom = "the prompt is right; then shorter texts attend to padding",
         .question = "Is the padding gone once its keys are in the cache?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return (s >= P && s < padding) || s > P + t;
                 };
             }},
        {.id = "padding_sees_itself",
         .decision = "rotary_sight",
         .title = "a token of padding sees itself: its context is its own value",
         .right = "padding is never seen, by itself neither: its context is zeros",
         .symptom = "nothing, as long as nobody reads the contexts of padding",
         .question = "Which columns does a token of padding see?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return (s < padding && s != P + t) || s > P + t;
                 };
             }},
        {.id = "padding_sees_padding",
         .decision = "rotary_sight",
         .title = "tokens of padding see the padding up to themselves: their contexts are not zeros",
         .right = "padding is never seen, by padding neither: its context is zeros",
         .symptom = "nothing, as long as nobody reads the contexts of padding",
         .question = "Which columns does a token of padding see?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return (s < padding && P + t >= padding) || s > P + t;
                 };
             }},
        {.id = "first_real_token_hidden",
         .decision = "rotary_sight",
         .title = "the first real token behind padding is hidden as well",
         .right = own_text,
         .symptom = "right without padding; else a text lacks its first token",
         .question = "Is column padding[b] the last of the padding or the first of the text?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return (padding > 0 && s <= padding) || s > P + t;
                 };
             }},
        {.id = "real_tokens_see_their_future",
         .decision = "rotary_sight",
         .title = "new tokens see each other, later ones included; padding sees nothing",
         .right = own_text,
         .symptom = "right token by token; a prompt sees its future",
         .question = "What does the first token of a prompt of 5 see?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return s < padding || P + t < padding;
                 };
             }},
        {.id = "right_padding_masked",
         .decision = "rotary_sight",
         .title = "padding is masked on the right: the newest columns instead of the oldest",
         .right = own_text,
         .symptom = "right without padding; else a text does not see its newest tokens",
         .question = "At which end of a row does padding stand, if new tokens come last?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index T) {
                     return s >= P + T - padding || s > P + t;
                 };
             }},
        {.id = "chunk_sees_its_future",
         .decision = "rotary_sight",
         .title = "new tokens see each other, later ones included",
         .right = own_text,
         .symptom = "right token by token; a prompt sees its future",
         .question = "What does the first token of a prompt of 5 see?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index, Index, Index s, Index) { return s < padding; };
             }},
        {.id = "chunk_sees_its_future_behind_a_cache",
         .decision = "rotary_sight",
         .title = "with a cache, new tokens see each other, later ones included",
         .right = own_text,
         .symptom = "right for the prompt, and token by token; several new tokens see their future",
         .question = "Is one new token the only thing that may come to a cache?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return s < padding || (P == 0 && s > t);
                 };
             }},
        {.id = "sight_ends_at_the_position",
         .decision = "rotary_sight",
         .title = "a token sees columns up to its position behind the padding, not up to its own column",
         .right = own_text,
         .symptom = "right without padding; else a text does not see its newest tokens",
         .question = "In which column stands the token whose position is P + t - padding[b]?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return s < padding || s > P + t - padding;
                 };
             }},
        {.id = "sight_forgets_the_cache",
         .decision = "rotary_sight",
         .title = "new token t sees columns up to t, as if the cache were empty",
         .right = own_text,
         .symptom = "the prompt is right; later tokens see the beginning alone",
         .question = "In which column does the first new token stand?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index, Index t, Index s, Index) {
                     return s < padding || s > t;
                 };
             }},
        {.id = "new_token_hidden_from_itself",
         .decision = "rotary_sight",
         .title = "a token does not see itself",
         .right = own_text,
         .symptom = "the first token of all sees nothing; every other lacks the newest key",
         .question = "Is it s > P + t or s >= P + t?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().hidden = [](Index padding, Index P, Index t, Index s, Index) {
                     return s < padding || s >= P + t;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
