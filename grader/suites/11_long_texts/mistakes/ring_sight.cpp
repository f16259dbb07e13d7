// What new tokens see of a ring.
#include "suites/11_long_texts/ring.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

constexpr const char* ring_right_window =
    "a new token sees itself and the w - 1 tokens before it, in the ring or among the new ones";

}  // namespace

namespace chapters {

Chapter ring_sight() {
    static constexpr Decision decisions[] = {
        {.id = "ring_sees",
         .stage = Stage::mask,
         .lesson = {{"11", "A ring"}},
         .pseudocode =
             "old tokens in the order of positions, then the new ones; window attention over them; then append"},
        {.id = "ring_held",
         .stage = Stage::mask,
         .lesson = {{"11", "A ring"}},
         .pseudocode = "slots 0 ... min(next, w) - 1 hold a token"},
        {.id = "ring_taken_in",
         .stage = Stage::none,
         .lesson = {{"11", "A ring"}},
         .pseudocode = "attend first, then append all new tokens"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "ring_sees_one_more",
         .decision = "ring_sees",
         .title = "a new token sees w tokens before itself",
         .right = ring_right_window,
         .symptom = "one token too many, which the ring still holds",
         .question = "How many tokens does a query see with w = 1?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().sees = [](const Ringing::Sight& sight) {
                     return sight.distance() >= 0 && sight.distance() <= sight.w;
                 };
             }},
        {.id = "ring_sees_one_less",
         .decision = "ring_sees",
         .title = "a new token sees w - 2 tokens before itself",
         .right = ring_right_window,
         .symptom = "one token too few",
         .question = "How many tokens does a query see with w = 1?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().sees = [](const Ringing::Sight& sight) {
                     return sight.distance() >= 0 && sight.distance() < sight.w - 1;
                 };
             }},
        {.id = "ring_sees_all_it_holds",
         .decision = "ring_sees",
         .title = "every new token sees all that the ring holds: old tokens never leave the window of later ones",
         .right = ring_right_window,
         .symptom = "right for one token at a time, but for the oldest",
         .question = "Which of the old tokens does the last of three new ones still see?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().sees = [](const Ringing::Sight& sight) { return sight.distance() >= 0; };
             }},
        {.id = "ring_sees_the_whole_chunk",
         .decision = "ring_sees",
         .title = "new tokens see those that come after them",
         .right = ring_right_window,
         .symptom = "right for one token at a time",
         .question = "What does the first of three new tokens see of the last?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().sees = [](const Ringing::Sight& sight) { return sight.distance() < sight.w; };
             }},
        {.id = "ring_sees_empty_slots",
         .decision = "ring_sees",
         .title = "slots that no token has reached are seen as if tokens before the first stood there",
         .right = ring_right_window,
         .symptom = "right once the ring is full; before that, what happens to stand in empty slots takes a share",
         .question = "How many tokens does the ring hold while next is below w?",
         .make = [](Choices& c) { c.change<Ringing>().sees_unwritten = true; }},
        {.id = "ring_sees_every_empty_slot",
         .decision = "ring_sees",
         .title = "slots that no token has reached are seen by every new token",
         .right = ring_right_window,
         .symptom = "right once the ring is full; before that, what happens to stand in empty slots takes a share",
         .question = "How many tokens does the ring hold while next is below w?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().sees_unwritten = true;
                 c.change<Ringing>().sees = [](const Ringing::Sight& sight) {
                     return sight.position < 0 || (sight.distance() >= 0 && sight.distance() < sight.w);
                 };
             }},
        {.id = "ring_sees_new_alone",
         .decision = "ring_sees",
         .title = "new tokens see each other and nothing of the ring",
         .right = ring_right_window,
         .symptom = "every chunk forgets what was before it",
         .question = "Where do you read the cache?",
         .make = [](Choices& c) { c.change<Ringing>().sees_ring = false; }},
        {.id = "ring_sees_old_alone",
         .decision = "ring_sees",
         .title = "new tokens see the ring, but neither themselves nor each other",
         .right = ring_right_window,
         .symptom = "every answer is one token late",
         .question = "Does a token see itself?",
         .make = [](Choices& c) { c.change<Ringing>().sees_new = false; }},
        {.id = "ring_oldest_left_out",
         .decision = "ring_sees",
         .title = "the oldest token that the ring holds is left out, also while the ring is filling",
         .right = ring_right_window,
         .symptom = "right once the ring is full: the oldest has left the window then",
         .question = "Which tokens of a ring that holds one does the next token see?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().sees = [](const Ringing::Sight& sight) {
                     const Index oldest = std::max<Index>(0, sight.next - sight.w);
                     const bool is_oldest = sight.position == oldest && oldest < sight.next;
                     return sight.distance() >= 0 && sight.distance() < sight.w && !is_oldest;
                 };
             }},
        {.id = "ring_newest_left_out",
         .decision = "ring_sees",
         .title = "the newest token that the ring holds is left out",
         .right = ring_right_window,
         .symptom = "every chunk misses the token before it",
         .question = "Which position has the newest token of the ring?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().sees = [](const Ringing::Sight& sight) {
                     return sight.distance() >= 0 && sight.distance() < sight.w && sight.position != sight.next - 1;
                 };
             }},
        {.id = "ring_sees_after_taking_in",
         .decision = "ring_sees",
         .title = "new tokens are taken in first, and then look at the ring: what was pushed out is not seen",
         .right = ring_right_window,
         .symptom = "right for one token at a time",
         .question = "What does the first of three new tokens see that the last pushes out?",
         .make = [](Choices& c) { c.change<Ringing>().looks = Ringing::Looks::at_what_is_left; }},
        {.id = "ring_sees_chunk_after_taking_in",
         .decision = "ring_sees",
         .title =
             "new tokens are taken in first, and then look at the ring, or at each other where there are more than w: "
             "what was pushed out is not seen",
         .right = ring_right_window,
         .symptom = "right for one token at a time",
         .question = "What does the first of three new tokens see that the last pushes out?",
         .make = [](Choices& c) { c.change<Ringing>().looks = Ringing::Looks::at_what_is_left_or_chunk; }},
        {.id = "ring_sees_slots_after_taking_in",
         .decision = "ring_sees",
         .title =
             "new tokens are taken in first, and then each looks at the slots of its window: later ones stand there",
         .right = ring_right_window,
         .symptom = "right for one token at a time",
         .question = "Who stands in slot p % w once the last of three new tokens has been taken in?",
         .make = [](Choices& c) { c.change<Ringing>().looks = Ringing::Looks::at_slots; }},
        {.id = "ring_sees_everything_after_taking_in",
         .decision = "ring_sees",
         .title = "new tokens are taken in first, and then each sees all that the ring holds, later ones too",
         .right = ring_right_window,
         .symptom = "right for one token at a time",
         .question = "What does the first of three new tokens see of the last?",
         .make = [](Choices& c) { c.change<Ringing>().looks = Ringing::Looks::at_everything; }},
        {.id = "ring_read_when_overwritten",
         .decision = "ring_sees",
         .title = "new tokens are taken in before the old ones are read: where one was pushed out, a new one is read",
         .right = ring_right_window,
         .symptom = "right for one token at a time",
         .question = "What is in the slot of the oldest token when you read it?",
         .make = [](Choices& c) { c.change<Ringing>().looks = Ringing::Looks::at_ring_and_chunk; }},
        {.id = "ring_full_taken_for_empty",
         .decision = "ring_held",
         .title = "a ring in which next % w is 0 is taken for an empty one: whenever it has just been filled, too",
         .right = "the ring holds min(next, w) tokens",
         .symptom = "wrong for every w-th token",
         .question = "What tells a full ring from an empty one, where next % w is 0?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().held = [](Index next, Index w) { return next % w == 0 ? 0 : std::min(next, w); };
             }},
        {.id = "ring_just_filled_taken_for_empty",
         .decision = "ring_held",
         .title = "a ring that has just been filled, next = w, is taken for an empty one",
         .right = "the ring holds min(next, w) tokens",
         .symptom = "wrong once in a text",
         .question = "How many tokens does a ring hold where next is w?",
         .make =
             [](Choices& c) {
                 c.change<Ringing>().held = [](Index next, Index w) { return next == w ? 0 : std::min(next, w); };
             }},
        {.id = "ring_holds_next_modulo_w",
         .decision = "ring_held",
         .title = "the ring is taken to hold next % w tokens, also once it is full",
         .right = "the ring holds min(next, w) tokens",
         .symptom = "right until the ring is full",
         .question = "How many tokens does a ring of 4 hold when next is 5?",
         .make = [](Choices& c) { c.change<Ringing>().held = [](Index next, Index w) { return next % w; }; }},
        {.id = "ring_read_by_slots",
         .decision = "ring_sees",
         .title = "slots are read as if they stood in the order of positions, the oldest in slot 0",
         .right = ring_right_window,
         .symptom = "right until the ring wraps",
         .question = "Which slot holds the oldest token when next is w + 1?",
         .make = [](Choices& c) { c.change<Ringing>().order = Ringing::Order::as_slots; }},
        {.id = "ring_read_as_positions",
         .decision = "ring_sees",
         .title = "a slot is taken for the position of its token",
         .right = ring_right_window,
         .symptom = "right until the ring is full; then everything seems long past",
         .question = "Which position is in slot 0 when next is w + 1?",
         .make = [](Choices& c) { c.change<Ringing>().order = Ringing::Order::as_positions; }},
        {.id = "ring_not_taken_in",
         .decision = "ring_taken_in",
         .title = "decoding does not take the new tokens in",
         .right = "after decoding, the cache has taken all new tokens in",
         .symptom = "every chunk sees the same old tokens",
         .question = "Where does ring_decode change the cache?",
         .make = [](Choices& c) { c.change<Ringing>().takes_in = false; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
