// What attention turns, and by what it divides scores.
#include "suites/13_positions/rotary.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

constexpr const char* both_turned = "queries and keys are turned by their positions, values never";

}  // namespace

namespace chapters {

Chapter rotary_attention() {
    static constexpr Decision decisions[] = {
        {.id = "rotary_attention",
         .stage = Stage::scores,
         .lesson = {{"13", "Distance alone"}},
         .pseudocode = "q' = rotate_pairs(q, rotation_angles(q_positions, d, base)); k' alike with k_positions; "
                       "attention of q', k', "
                       "v"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "values_turned_too",
         .decision = "rotary_attention",
         .title = "values are turned as well",
         .right = both_turned,
         .symptom = "trains; what a token hands on depends on where it stands, and loaded weights give nonsense",
         .question = "What does a value have to say of the distance?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().turned = {true, true, true};
             }},
        {.id = "values_turned_where_as_wide",
         .decision = "rotary_attention",
         .title = "values are turned as well where they are as wide as keys",
         .right = both_turned,
         .symptom = "trains; what a token hands on depends on where it stands, and loaded weights give nonsense",
         .question = "What does a value have to say of the distance?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().turned = {true, true, true};
                 c.change<Rotary>().turns_wide_values_alone = true;
             }},
        {.id = "queries_alone_turned",
         .decision = "rotary_attention",
         .title = "only queries are turned",
         .right = both_turned,
         .symptom = "scores depend on where the query stands, not on the distance",
         .question = "If both tokens move on by one, does the score stay?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().turned = {true, false, false};
             }},
        {.id = "keys_alone_turned",
         .decision = "rotary_attention",
         .title = "only keys are turned",
         .right = both_turned,
         .symptom = "scores depend on where the key stands, not on the distance",
         .question = "If both tokens move on by one, does the score stay?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().turned = {false, true, false};
             }},
        {.id = "nothing_turned",
         .decision = "rotary_attention",
         .title = "nothing is turned: attention does not know where tokens stand",
         .right = both_turned,
         .symptom = "a text is a bag of words",
         .question = "What happens to your output when keys change places with their values?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().turned = {false, false, false};
             }},
        {.id = "values_turned_for_keys",
         .decision = "rotary_attention",
         .title = "queries and values are turned, keys are not",
         .right = both_turned,
         .symptom = "scores depend on where the query stands, and values on where they stand",
         .question = "In which order does your function return q, k and v?",
         .shipped = {"MMAudio: https://github.com/hkchengrex/MMAudio/issues/83"},
         .make =
             [](Choices& c) {
                 c.change<Rotary>().turned = {true, false, true};
             }},
        {.id = "keys_turned_the_other_way",
         .decision = "rotary_attention",
         .title = "keys are turned the other way than queries: scores depend on the sum of two positions",
         .right = both_turned,
         .symptom = "right at position 0 alone",
         .question = "If both tokens move on by one, by how much does the angle between them change?",
         .make = [](Choices& c) { c.change<Rotary>().key_sense = -1; }},
        {.id = "attention_turns_halves",
         .decision = "rotary_attention",
         .title = "attention turns halves where it should turn neighbours",
         .right = "attention here turns neighbours: rotate_pairs",
         .symptom = "trains as well as the right one; loaded weights give nonsense",
         .question = "Which of the two rotations do you call?",
         .make = [](Choices& c) { c.change<Rotary>().attends_by_halves = true; }},
        {.id = "attention_counts_anew",
         .decision = "rotary_attention",
         .title = "tokens are counted from 0 on, whatever positions are handed over",
         .right = "turn by q_positions and k_positions",
         .symptom = "right for a whole text without padding",
         .question = "Where does your code read q_positions?",
         .make = [](Choices& c) { c.change<Rotary>().counts_anew = true; }},
        {.id = "angle_divided_by_model_width",
         .decision = "rotary_attention",
         .title = "the exponent is -2i/(H·d): it is divided by the width of all heads together",
         .right = "pair i is turned by position · base^(-2i/d), d the width of one head",
         .symptom = "right for one head; with more of them all pairs turn nearly as fast as the first",
         .question = "Which d is meant in base^(-2i/d), that of a head or that of the model?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency_in_layer = [](const Rotary::Pair& p) {
                     return Rotary::right().frequency({p.i, p.d * p.H, p.base, 1});
                 };
             }},
        {.id = "attention_turns_twice",
         .decision = "rotary_attention",
         .title = "attention turns by twice the angle: scores depend on twice the distance",
         .right = both_turned,
         .symptom = "trains as well as the right one; loaded weights give nonsense",
         .question = "How often are q and k turned before they meet, and by what share of their angle?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency_in_layer = [](const Rotary::Pair& p) {
                     return 2 * Rotary::right().frequency(p);
                 };
             }},
        {.id = "attention_turns_clockwise",
         .decision = "rotary_attention",
         .title = "attention turns clockwise: a distance counts with the other sign",
         .right = both_turned,
         .symptom = "trains as well as the right one; loaded weights give nonsense",
         .question = "Is it the position of the query less that of the key, or the other way about?",
         .make = [](Choices& c) { c.change<Rotary>().sense = c.change<Rotary>().key_sense = -1; }},
        {.id = "distance_without_its_sign",
         .decision = "rotary_attention",
         .title = "the distance counts without its sign, |t - s|: keys behind the query are taken to stand before it",
         .right = "the difference of the positions counts, and it is below 0 for keys behind the query",
         .symptom = "right under a causal mask; an encoder cannot tell left from right",
         .question = "Do a key three tokens before the query and one three behind it get the same turn?",
         .make = [](Choices& c) { c.change<Rotary>().apart = [](double distance) { return std::abs(distance); }; }},
        {.id = "distance_without_its_sign_as_behind",
         .decision = "rotary_attention",
         .title = "the distance counts without its sign, |t - s|: keys before the query are taken to stand behind it",
         .right = "the difference of the positions counts, and it is above 0 for keys before the query",
         .symptom = "under a causal mask every distance counts with the other sign",
         .question = "Do a key three tokens before the query and one three behind it get the same turn?",
         .make = [](Choices& c) { c.change<Rotary>().apart = [](double distance) { return -std::abs(distance); }; }},
        {.id = "queries_turned_by_a_fixed_base",
         .decision = "rotary_attention",
         .title = "queries are turned with base 10000, keys with the base that is asked for",
         .right = "queries and keys are turned with one base, the one that is handed over",
         .symptom = "right for models of base 10000; for others, scores depend on more than the distance",
         .question = "Where is base read when queries are turned?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().base_is_fixed_for = {true, false};
             }},
        {.id = "keys_turned_by_a_fixed_base",
         .decision = "rotary_attention",
         .title = "keys are turned with base 10000, queries with the base that is asked for",
         .right = "queries and keys are turned with one base, the one that is handed over",
         .symptom = "right for models of base 10000; for others, scores depend on more than the distance",
         .question = "Where is base read when keys are turned?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().base_is_fixed_for = {false, true};
             }},
        {.id = "keys_turned_by_the_first_text",
         .decision = "rotary_attention",
         .title = "the keys of every text are turned by the positions of the first text's keys",
         .right = "a text has positions of its own: k_positions[b]",
         .symptom = "right for one text, and for a batch without padding",
         .question = "Which row of k_positions does your code read for the second text?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().key_row = [](Index, Index, Index t, const Shape&) { return Rotary::Row{0, t}; };
             }},
        {.id = "scale_sqrt_pairs",
         .decision = "rotary_attention",
         .title = "scores are divided by √(d/2), the number of pairs",
         .right = "they should be divided by √d: a score still sums over d features",
         .symptom = "nothing crashes; softmax is too sharp",
         .question = "Over how many products does a score sum, if each pair has two features?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) { return 1 / std::sqrt(static_cast<double>(w.d) / 2); };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
