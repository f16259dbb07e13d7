// How far layers reach together.
#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

constexpr const char* all_ways = "t is influenced by s if some way of exactly L steps leads from s to t";
/// Of an odd number of layers the half is rounded down, and multiplied in once more.
Index steps_by_halves(Index layers) {
    if (layers == 1) return 1;
    return (layers % 2 == 0 ? 2 : 3) * steps_by_halves(layers / 2);
}

constexpr const char* counted = "each layer adds w - 1 tokens to the one itself: L·(w - 1) + 1";

}  // namespace

namespace chapters {

Chapter layers_reach() {
    static constexpr Decision decisions[] = {
        {.id = "reach_steps",
         .stage = Stage::mask,
         .lesson = {{"11", "How far layers reach"}},
         .pseudocode = "all = open; L - 1 times: all(t, s) = any u: open(t, u) and all(u, s)"},
        {.id = "reach_ways",
         .stage = Stage::mask,
         .lesson = {{"11", "How far layers reach"}},
         .pseudocode = "all(t, s) = any u: open(t, u) and all(u, s)"},
        {.id = "window_reach",
         .stage = Stage::none,
         .lesson = {{"11", "How far layers reach"}},
         .pseudocode = "L * (w - 1) + 1"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "reach_one_layer_more",
         .decision = "reach_steps",
         .title = "one layer too many is counted",
         .right = all_ways,
         .symptom = "for one layer, what two reach",
         .question = "What should come back for one layer?",
         .make = [](Choices& c) { c.change<Windows>().steps = [](Index layers) { return layers + 1; }; }},
        {.id = "reach_one_layer_less",
         .decision = "reach_steps",
         .title = "one layer too few is counted",
         .right = all_ways,
         .symptom = "for one layer, each token reaches itself alone",
         .question = "What should come back for one layer?",
         .make = [](Choices& c) { c.change<Windows>().steps = [](Index layers) { return layers - 1; }; }},
        {.id = "reach_of_two_layers",
         .decision = "reach_steps",
         .title = "two layers are counted however many there are",
         .right = all_ways,
         .symptom = "right for two layers",
         .question = "How often do you multiply for four layers?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().steps = [](Index layers) { return layers > 1 ? Index{2} : Index{1}; };
             }},
        {.id = "reach_squared",
         .decision = "reach_steps",
         .title = "what is reached is multiplied by itself: each layer doubles it",
         .right = all_ways,
         .symptom = "right for one layer and for two",
         .question = "Is a third layer one more step, or two?",
         .make = [](Choices& c) { c.change<Windows>().doubles = true; }},
        {.id = "reach_doubled_too_far",
         .decision = "reach_steps",
         .title = "what is reached is multiplied by itself until there are L layers or more: three become four",
         .right = all_ways,
         .symptom = "right for 1, 2, 4, 8, ... layers",
         .question = "How many layers are there after two doublings, and how many were asked for?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().doubles = true;
                 c.change<Windows>().steps = [](Index layers) {
                     Index steps = 1;
                     for (Index done = 1; done < layers; done += done) ++steps;
                     return steps;
                 };
             }},
        {.id = "reach_doubled_too_short",
         .decision = "reach_steps",
         .title =
             "what is reached is multiplied by itself as long as there are no more than L layers: three become two",
         .right = all_ways,
         .symptom = "right for 1, 2, 4, 8, ... layers",
         .question = "Which layers are missing after the last doubling?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().doubles = true;
                 c.change<Windows>().steps = [](Index layers) {
                     Index steps = 1;
                     for (Index done = 2; done <= layers; done += done) ++steps;
                     return steps;
                 };
             }},
        {.id = "reach_odd_layers_by_half",
         .decision = "reach_steps",
         .title = "where L is odd, the square of L/2 layers is multiplied by these again, not by one: five become six",
         .right = "for odd L: L/2 layers, rounded down, times themselves, and one layer more",
         .symptom = "right for 1, 2, 3, 4, 6, 8, ... layers",
         .question = "How many layers are twice two, and how many must be added to make five?",
         .make = [](Choices& c) { c.change<Windows>().steps = &steps_by_halves; }},
        {.id = "reach_stops_at_as_many",
         .decision = "reach_steps",
         .title = "it stops where a layer leaves as many pairs open as before, though they may be others",
         .right = "stop early, if at all, where no pair has changed",
         .symptom = "right for causal windows, where pairs are only added",
         .question =
             "If each of three tokens sees the next alone, how many pairs are open after one layer and after two?",
         .make = [](Choices& c) { c.change<Windows>().stops_at_as_many = true; }},
        {.id = "reach_of_fewer_layers_too",
         .decision = "reach_ways",
         .title = "what fewer layers reach counts as well, and each token itself",
         .right = all_ways,
         .symptom = "right where every token sees itself, as in a causal window",
         .question = "Does a token that does not see itself keep what it had?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().keeps_nearer = true;
                 c.change<Windows>().keeps_itself = true;
             }},
        {.id = "reach_of_at_most_all_layers",
         .decision = "reach_ways",
         .title = "what fewer layers reach counts as well: ways of at most L steps, in place of exactly L",
         .right = all_ways,
         .symptom = "right where every token sees itself, as in a causal window",
         .question = "Does a token that does not see itself keep what one layer gave it?",
         .make = [](Choices& c) { c.change<Windows>().keeps_nearer = true; }},
        {.id = "reach_by_odd_ways",
         .decision = "reach_ways",
         .title = "an even number of ways cancels out: exclusive or where there should be or",
         .right = all_ways,
         .symptom = "right while there is one way only",
         .question = "What becomes of two ways that lead to the same token?",
         .make = [](Choices& c) { c.change<Windows>().joined = Windows::Joined::odd; }},
        {.id = "reach_by_one_way_alone",
         .decision = "reach_ways",
         .title = "ways are added up, and only a sum of one counts",
         .right = all_ways,
         .symptom = "right while there is one way only",
         .question = "What becomes of two ways that lead to the same token?",
         .make = [](Choices& c) { c.change<Windows>().joined = Windows::Joined::one_alone; }},
        {.id = "reach_counts_overflow",
         .decision = "reach_ways",
         .title =
             "ways are counted: of many layers there are too many for a number, and infinity times 0 is NaN, which "
             "passes for a way",
         .right = all_ways,
         .symptom = "right for few layers",
         .question = "How many ways lead through 1,100 layers, and must you know?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().joined = Windows::Joined::counted;
                 c.change<Windows>().is_way = [](double count) { return !(count <= 0); };
             }},
        {.id = "reach_counts_overflow_to_none",
         .decision = "reach_ways",
         .title =
             "ways are counted: of many layers there are too many for a number, and infinity times 0 is NaN, which "
             "passes for none",
         .right = all_ways,
         .symptom = "right for few layers",
         .question = "How many ways lead through 1,100 layers, and must you know?",
         .make = [](Choices& c) { c.change<Windows>().joined = Windows::Joined::counted; }},
        {.id = "reach_counts_wrap",
         .decision = "reach_ways",
         .title =
             "ways are counted in whole numbers: of many layers there are more than fit, and what is left of them is 0",
         .right = all_ways,
         .symptom = "right for few layers",
         .question = "What is 4 to the power of 32, in 64 bits?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().joined = Windows::Joined::counted;
                 c.change<Windows>().is_way = [](double count) { return count > 0 && std::isfinite(count); };
             }},
        {.id = "reach_turned",
         .decision = "reach_ways",
         .title = "rows and columns are swapped: whom a token influences, in place of who influences it",
         .right = all_ways,
         .symptom = "the picture is mirrored",
         .question = "Is the row the one that sees, or the one that is seen?",
         .make = [](Choices& c) { c.change<Windows>().turned = true; }},
        {.id = "reach_of_what_is_blocked",
         .decision = "reach_ways",
         .title = "what is blocked is multiplied, in place of what is open",
         .right = "true means \"may not attend\": steps go where the mask is false",
         .symptom = "right for one layer",
         .question = "Which of the two is a step: true or false?",
         .make = [](Choices& c) { c.change<Windows>().squares_blocked = true; }},
        {.id = "window_reach_without_itself",
         .decision = "window_reach",
         .title = "the token itself is left out: L·(w - 1)",
         .right = counted,
         .symptom = "one short",
         .question = "What is the reach for w = 1?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().window_reach = [](Index w, Index layers) { return layers * (w - 1); };
             }},
        {.id = "window_reach_counts_itself_again",
         .decision = "window_reach",
         .title = "every layer counts the token itself anew: L·w",
         .right = counted,
         .symptom = "right for one layer; too far by one for each layer after the first",
         .question = "How many new tokens does the second layer add?",
         .make =
             [](Choices& c) { c.change<Windows>().window_reach = [](Index w, Index layers) { return layers * w; }; }},
        {.id = "window_reach_multiplied",
         .decision = "window_reach",
         .title = "reach multiplies from layer to layer: w to the power of L",
         .right = counted,
         .symptom = "far too far",
         .question = "Does a second layer look w tokens further for each token, or do these overlap?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().window_reach = [](Index w, Index layers) {
                     Index all = 1;
                     for (Index layer = 0; layer < layers; ++layer) {
                         if (all > (Index{1} << 31)) throw Unpredictable{};
                         all *= w;
                     }
                     return all;
                 };
             }},
        {.id = "window_reach_of_a_layer_more",
         .decision = "window_reach",
         .title = "one layer too many is counted: (L + 1)·(w - 1) + 1",
         .right = counted,
         .symptom = "too far, by one layer",
         .question = "What is the reach of one layer?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().window_reach = [](Index w, Index layers) { return (layers + 1) * (w - 1) + 1; };
             }},
        {.id = "window_reach_of_a_layer_less",
         .decision = "window_reach",
         .title = "one layer too few is counted: (L - 1)·(w - 1) + 1",
         .right = counted,
         .symptom = "too short, by one layer",
         .question = "What is the reach of one layer?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().window_reach = [](Index w, Index layers) { return (layers - 1) * (w - 1) + 1; };
             }},
        {.id = "window_reach_one_more",
         .decision = "window_reach",
         .title = "one token too many is counted: L·(w - 1) + 2",
         .right = counted,
         .symptom = "one too far",
         .question = "What is the reach for w = 1?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().window_reach = [](Index w, Index layers) { return layers * (w - 1) + 2; };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
