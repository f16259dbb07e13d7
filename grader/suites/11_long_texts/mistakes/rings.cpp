// What a ring keeps, and where.
#include "suites/11_long_texts/ring.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* ring_right_by_position = "the token at position p is in slot p % w";
constexpr const char* ring_right_last_w = "of n new tokens the last w stay";
constexpr const char* ring_right_moves_on = "next moves on by n";
constexpr const char* ring_right_each_asked =
    "ask each of the two: what does not own its storage is copied first, k = cat({k}, 0)";
constexpr const char* ring_right_widths = "keys (B, H, w, d) and values (B, H, w, d_v)";
constexpr const char* ring_right_both = "keys and values both go into the ring";

}  // namespace

namespace chapters {

Chapter rings() {
    static constexpr Decision decisions[] = {
        {.id = "ring_slot",
         .stage = Stage::none,
         .lesson = {{"11", "A ring"}},
         .pseudocode = "slot (next + t) % w = token t, for the last w of n"},
        {.id = "ring_strides",
         .stage = Stage::none,
         .lesson = {{"11", "A ring"}},
         .pseudocode = "clone() keeps strides: k.slice(2, p % w, p % w + 1).copy_from(...) heeds them"},
        {.id = "ring_kept",
         .stage = Stage::none,
         .lesson = {{"11", "A ring"}},
         .pseudocode = "for t = max(0, n - w) ... n - 1"},
        {.id = "ring_next", .stage = Stage::none, .lesson = {{"11", "A ring"}}, .pseudocode = "next += n"},
        {.id = "ring_parts", .stage = Stage::none, .lesson = {{"11", "A ring"}}, .pseudocode = "both k and v"},
        {.id = "ring_copies",
         .stage = Stage::none,
         .lesson = {{"11", "A ring"}},
         .pseudocode = "if (!cache.k.owns_storage()) cache.k = cat({cache.k}, 0)"},
        {.id = "ring_made",
         .stage = Stage::none,
         .lesson = {{"11", "A ring"}},
         .pseudocode = "zeros (B, H, w, d) and (B, H, w, d_v)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "ring_never_wraps",
         .decision = "ring_slot",
         .title = "the ring never wraps: once it is full, only the last slot changes",
         .right = ring_right_by_position,
         .symptom = "right until the ring is full",
         .question = "Which slot does position w take?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) {
                     return token.position() < token.w ? token.position() : token.w - 1;
                 };
             }},
        {.id = "ring_overwrites_the_newest",
         .decision = "ring_slot",
         .title = "once it is full, a new token takes the place of the newest, not of the oldest",
         .right = ring_right_by_position,
         .symptom = "right until the ring is full",
         .question = "Which token leaves the window when a new one comes?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) {
                     return token.position() < token.w ? token.position() : (token.position() - 1) % token.w;
                 };
             }},
        {.id = "ring_slots_from_zero",
         .decision = "ring_slot",
         .title = "every chunk begins at slot 0",
         .right = ring_right_by_position,
         .symptom = "right for the first chunk",
         .question = "At which slot does the second chunk begin?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) { return token.t % token.w; };
             }},
        {.id = "ring_slots_of_the_kept",
         .decision = "ring_slot",
         .title = "of more than w tokens, the kept ones are written from where the first would have been",
         .right = ring_right_by_position,
         .symptom = "right for chunks of up to w tokens",
         .question = "In which slot belongs the first of the tokens that stay?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) {
                     return (token.position() - (token.n > token.w ? token.n - token.w : 0)) % token.w;
                 };
             }},
        {.id = "ring_kept_from_slot_zero",
         .decision = "ring_slot",
         .title = "of more than w tokens, the last w are written from slot 0 on",
         .right = ring_right_by_position,
         .symptom =
             "right for chunks of up to w tokens; then the newest token is in the last slot, whatever its position",
         .question = "In which slot belongs the first of the tokens that stay?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) {
                     return token.n > token.w ? token.t - (token.n - token.w) : token.position() % token.w;
                 };
             }},
        {.id = "ring_filled_from_slot_zero",
         .decision = "ring_slot",
         .title = "of w tokens or more, the last w are written from slot 0 on",
         .right = ring_right_by_position,
         .symptom = "right for chunks of fewer than w tokens; then the newest token is in the last slot, whatever its "
                    "position",
         .question = "In which slot belongs the first of the tokens that stay?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) {
                     return token.n >= token.w ? token.t - (token.n - token.w) : token.position() % token.w;
                 };
             }},
        {.id = "ring_of_w_less_one",
         .decision = "ring_slot",
         .title = "the ring wraps one slot too early: p % (w - 1)",
         .right = ring_right_by_position,
         .symptom = "the last slot is never used",
         .question = "How many slots are there?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) {
                     return token.w > 1 ? token.position() % (token.w - 1) : 0;
                 };
             }},
        {.id = "ring_off_by_one",
         .decision = "ring_slot",
         .title = "every token is one slot too far: (p + 1) % w",
         .right = ring_right_by_position,
         .symptom = "wrong from the first token on, unless w is 1",
         .question = "Which slot does position 0 take?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().slot = [](const Ringing::Token& token) {
                     return (token.position() + 1) % token.w;
                 };
             }},
        {.id = "ring_written_as_contiguous",
         .decision = "ring_strides",
         .title = "slots are written where they would be in a row-major storage, though the cache's tensors are views "
                  "with other strides",
         .right = "write through the tensor: k.slice(2, slot, slot + 1).copy_from(...), or make it contiguous() first",
         .symptom = "right for caches of make_ring; in others a token lands in another head's slots",
         .question = "Which strides does clone() give a transposed tensor?",
         .make = [](Choices& c) { c.change<Ringing>().writes_as_contiguous = true; }},
        {.id = "ring_in_order",
         .decision = "ring_slot",
         .title = "tokens are kept in order, the newest in the last slot: everything moves when one comes",
         .right = ring_right_by_position,
         .symptom = "right answers at w times the cost, and no ring",
         .question = "Which slot does position w take, and who moves?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().shifts = true;
                 c.change<Ringing>().order = Ringing::Order::as_slots;
             }},
        {.id = "ring_keeps_the_first",
         .decision = "ring_kept",
         .title = "of more than w new tokens the first w stay, not the last",
         .right = ring_right_last_w,
         .symptom = "right for chunks of up to w tokens",
         .question = "Which of 12 new tokens are in a window of 5 afterwards?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().is_kept = [](const Ringing::Token& token) { return token.t < token.w; };
             }},
        {.id = "ring_next_by_one",
         .decision = "ring_next",
         .title = "next moves on by 1, however many tokens came",
         .right = ring_right_moves_on,
         .symptom = "right for one token at a time",
         .question = "At which position does the token after a chunk of three stand?",
         .make = [](Choices& c) { c.change<Ringing>().next = [](Index next, Index, Index) { return next + 1; }; }},
        {.id = "ring_next_by_the_kept",
         .decision = "ring_next",
         .title = "next moves on by the tokens that are kept, w at most",
         .right = ring_right_moves_on,
         .symptom = "right for chunks of up to w tokens",
         .question = "At which position does the token after a chunk of 12 stand?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().next = [](Index next, Index n, Index w) { return next + (n < w ? n : w); };
             }},
        {.id = "ring_next_stays",
         .decision = "ring_next",
         .title = "next does not move on",
         .right = ring_right_moves_on,
         .symptom = "every chunk overwrites the one before",
         .question = "Where does your function change next?",
         .make = [](Choices& c) { c.change<Ringing>().next = [](Index next, Index, Index) { return next; }; }},
        {.id = "ring_next_wraps",
         .decision = "ring_next",
         .title = "next is a slot, not a position: it is taken modulo w",
         .right = ring_right_moves_on,
         .symptom = "a full ring seems to be filling again",
         .question = "What tells a full ring from one that is filling?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().next = [](Index next, Index n, Index w) { return (next + n) % w; };
             }},
        {.id = "ring_next_stops",
         .decision = "ring_next",
         .title = "next stops at w",
         .right = ring_right_moves_on,
         .symptom = "a full ring overwrites one slot for ever",
         .question = "At which position does the token after a full ring stand?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().next = [](Index next, Index n, Index w) { return next + n < w ? next + n : w; };
             }},
        {.id = "ring_without_values",
         .decision = "ring_parts",
         .title = "keys go into the ring, values do not",
         .right = ring_right_both,
         .symptom = "new keys gather old values",
         .question = "Where does your function write values?",
         .make = [](Choices& c) { c.change<Ringing>().writes_values = false; }},
        {.id = "ring_without_keys",
         .decision = "ring_parts",
         .title = "values go into the ring, keys do not",
         .right = ring_right_both,
         .symptom = "new values are found under old keys",
         .question = "Where does your function write keys?",
         .make = [](Choices& c) { c.change<Ringing>().writes_keys = false; }},
        {.id = "ring_keys_for_values",
         .decision = "ring_parts",
         .title = "keys are written where values belong",
         .right = ring_right_both,
         .symptom = "shapes fit if both are as wide",
         .question = "What is in cache.v after the first token?",
         .make = [](Choices& c) { c.change<Ringing>().keys_for_values = true; }},
        {.id = "ring_shared",
         .decision = "ring_copies",
         .title = "a copy of the cache is written as well: both are views of one storage",
         .right = "write into the storage only where owns_storage() is true, else into a copy, cat({k}, 0)",
         .symptom = "right for a single sequence of calls; beams overwrite each other",
         .question = "What does copying a Tensor copy?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().writes_shared_keys = [](const Ringing::Seen&) { return true; };
                 c.change<Ringing>().writes_shared_values = [](const Ringing::Seen&) { return true; };
             }},
        {.id = "ring_asks_keys_alone",
         .decision = "ring_copies",
         .title = "where the keys' storage is the cache's own, values are written too, even where others share them",
         .right = ring_right_each_asked,
         .symptom = "right for copies of a whole cache",
         .question = "What does cache.k.owns_storage() say of cache.v?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().writes_shared_values = [](const Ringing::Seen& seen) { return !seen.keys; };
             }},
        {.id = "ring_asks_values_alone",
         .decision = "ring_copies",
         .title = "where the values' storage is the cache's own, keys are written too, even where others share them",
         .right = ring_right_each_asked,
         .symptom = "right for copies of a whole cache",
         .question = "What does cache.v.owns_storage() say of cache.k?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().writes_shared_keys = [](const Ringing::Seen& seen) { return !seen.values; };
             }},
        {.id = "ring_shared_if_one_is_own",
         .decision = "ring_copies",
         .title = "keys and values are both written if one of them has a storage of its own",
         .right = ring_right_each_asked,
         .symptom = "right for copies of a whole cache",
         .question = "Is it \"and\" or \"or\" between the two storages that must be the cache's own?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().writes_shared_keys = [](const Ringing::Seen& seen) { return !seen.values; };
                 c.change<Ringing>().writes_shared_values = [](const Ringing::Seen& seen) { return !seen.keys; };
             }},
        {.id = "ring_keys_shared",
         .decision = "ring_copies",
         .title = "keys are written although another cache sees them; values are not",
         .right = ring_right_each_asked,
         .symptom = "copies find other keys than they had",
         .question = "Which of the two do you ask whether it owns its storage?",
         .make =
             [](Choices& c) { c.change<Ringing>().writes_shared_keys = [](const Ringing::Seen&) { return true; }; }},
        {.id = "ring_values_shared",
         .decision = "ring_copies",
         .title = "values are written although another cache sees them; keys are not",
         .right = ring_right_each_asked,
         .symptom = "copies gather other values than they had",
         .question = "Which of the two do you ask whether it owns its storage?",
         .make =
             [](Choices& c) { c.change<Ringing>().writes_shared_values = [](const Ringing::Seen&) { return true; }; }},
        {.id = "ring_copied_by_contiguous",
         .decision = "ring_copies",
         .title =
             "keys and values that another cache sees are to be copied by contiguous(), which copies nothing where "
             "they are contiguous already",
         .right = "clone() always copies: what does not own its storage is cloned first",
         .symptom = "right for caches of views with other strides; else copies find other tokens than they had",
         .question = "What does contiguous() return of a tensor that is contiguous?",
         .make = [](Choices& c) { c.change<Ringing>().copies_by_contiguous = true; }},
        {.id = "ring_of_w_plus_one",
         .decision = "ring_made",
         .title = "a new ring has w + 1 slots",
         .right = "a ring of w tokens: (B, H, w, d)",
         .symptom = "a token too many is kept, and seen",
         .question = "How many tokens does a window of w hold, itself included?",
         .make = [](Choices& c) { c.change<Ringing>().one_slot_more = true; }},
        {.id = "ring_values_as_wide_as_keys",
         .decision = "ring_made",
         .title = "in a new ring, values are as wide as keys",
         .right = ring_right_widths,
         .symptom = "right where d_v = d",
         .question = "Which of the two widths does cache.v have?",
         .make = [](Choices& c) { c.change<Ringing>().widths = Ringing::Widths::keys_for_both; }},
        {.id = "ring_keys_as_wide_as_values",
         .decision = "ring_made",
         .title = "in a new ring, keys are as wide as values",
         .right = ring_right_widths,
         .symptom = "right where d_v = d",
         .question = "Which of the two widths does cache.k have?",
         .make = [](Choices& c) { c.change<Ringing>().widths = Ringing::Widths::values_for_both; }},
        {.id = "ring_widths_swapped",
         .decision = "ring_made",
         .title = "in a new ring, keys have the width of values, and values that of keys",
         .right = ring_right_widths,
         .symptom = "right where d_v = d",
         .question = "Which of the two widths does cache.k have?",
         .make = [](Choices& c) { c.change<Ringing>().widths = Ringing::Widths::swapped; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
