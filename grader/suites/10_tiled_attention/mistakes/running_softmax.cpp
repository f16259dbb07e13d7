// The softmax that runs over tiles of keys: its maximum, what shrinks, and rows that have seen nothing.
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* both_shrink =
    "where a larger score turns up, total and gathered both shrink by exp(before - now)";
constexpr const char* grows = "right as long as the largest score comes in the first tile";

/// The same mistake, made tile by tile or key by key, gives other numbers.
void shrinks(Choices& c, Tiling::Shrinks what, bool key_by_key) {
    c.change<Tiling>().shrinks = what;
    c.change<Tiling>().key_by_key = key_by_key;
}

constexpr const char* running_maximum = "largest is the largest score of all keys seen so far, and is stored";

constexpr const char* starts_at_minus_infinity = "before the first key the largest score is -infinity";

}  // namespace

namespace chapters {

Chapter running_softmax() {
    static constexpr Decision decisions[] = {
        {.id = "rescale",
         .stage = "softmax",
         .lesson = {{"10", "As a formula"}},
         .pseudocode = "now = max(largest, max of the tile); shrink = exp(largest - now); total = total·shrink + Σ "
                       "exp(score - now); gathered = gathered·shrink + Σ exp(score - now)·v"},
        {.id = "running_maximum",
         .stage = "softmax",
         .lesson = {{"10", "As a formula"}},
         .pseudocode =
             "largest = -infinity before the first key; after each tile largest = max(largest, max of the tile)"},
        {.id = "running_start",
         .stage = "softmax",
         .lesson = {{"10", "Rows that have seen nothing"}},
         .pseudocode =
             "before the first key: largest = -infinity, total = 0, gathered = 0; blocked scores are -infinity"},
        {.id = "empty_tile",
         .stage = "softmax",
         .lesson = {{"10", "Rows that have seen nothing"}},
         .pseudocode = "if the largest score so far is -infinity: nothing was seen, leave total and gathered at 0"},
        {.id = "division",
         .stage = "softmax",
         .lesson = {{"10", "As a formula"}},
         .pseudocode = "context = gathered / total, once, after the last tile; 0 where total is 0"},
        {.id = "empty_total",
         .stage = "softmax",
         .lesson = {{"10", "Rows that have seen nothing"}},
         .pseudocode = "if total[b,h,t] is 0, the query saw no key: its context is 0"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "rescale_forgotten",
         .decision = "rescale",
         .title = "what was summed before does not shrink when a larger score turns up in a later tile",
         .right = both_shrink,
         .symptom = grows,
         .question = "Relative to which maximum was the sum so far taken?",
         .make = [](Choices& c) { shrinks(c, Tiling::Shrinks::neither, false); }},
        {.id = "rescale_forgotten_for_total",
         .decision = "rescale",
         .title = "what was gathered shrinks when a larger score turns up in a later tile, the total does not",
         .right = both_shrink,
         .symptom = grows,
         .question = "Relative to which maximum was the total so far taken?",
         .make = [](Choices& c) { shrinks(c, Tiling::Shrinks::gathered, false); }},
        {.id = "rescale_forgotten_for_gathered",
         .decision = "rescale",
         .title = "the total shrinks when a larger score turns up in a later tile, what was gathered does not",
         .right = both_shrink,
         .symptom = grows,
         .question = "Relative to which maximum was gathered so far taken?",
         .make = [](Choices& c) { shrinks(c, Tiling::Shrinks::total, false); }},
        {.id = "rescale_forgotten_key_by_key",
         .decision = "rescale",
         .title = "what was summed before does not shrink when the next key has a larger score",
         .right = both_shrink,
         .symptom = "right as long as the largest score comes first",
         .question = "Relative to which maximum was the sum so far taken?",
         .make = [](Choices& c) { shrinks(c, Tiling::Shrinks::neither, true); }},
        {.id = "rescale_forgotten_for_total_key_by_key",
         .decision = "rescale",
         .title = "what was gathered shrinks when the next key has a larger score, the total does not",
         .right = both_shrink,
         .symptom = "right as long as the largest score comes first",
         .question = "Relative to which maximum was the total so far taken?",
         .make = [](Choices& c) { shrinks(c, Tiling::Shrinks::gathered, true); }},
        {.id = "rescale_inverted",
         .decision = "rescale",
         .title = "old sums are multiplied by exp(now - before) instead of exp(before - now)",
         .right = both_shrink,
         .symptom = "old keys gain what they should lose; overflows for large scores",
         .question = "Should the old sums grow or shrink when the maximum grows?",
         .make = [](Choices& c) { c.change<Tiling>().shrinks_inverted = true; }},
        {.id = "rescale_by_powers_of_two",
         .decision = "rescale",
         .title = "old sums are multiplied by 2 to the power of before - now instead of exp(before - now)",
         .right = both_shrink,
         .symptom = "old keys keep too large a share wherever a larger score turns up",
         .question = "Which base do the terms of your sums have, and which one has the factor?",
         .make = [](Choices& c) { c.change<Tiling>().shrinks_by_two = true; }},
        {.id = "maximum_never_stored",
         .decision = "running_maximum",
         .title = "the running maximum goes stale: it is never stored, so each tile wipes out those before it",
         .right = running_maximum,
         .symptom = "only the last tile counts",
         .question = "What does largest hold after the first tile?",
         .make = [](Choices& c) { c.change<Tiling>().largest = Tiling::Largest::never_stored; }},
        {.id = "maximum_of_last_tile",
         .decision = "running_maximum",
         .title = "scores are compared with the largest of their own tile, even if an earlier tile had a larger one",
         .right = running_maximum,
         .symptom = "right for small scores; overflows where an earlier score was much larger",
         .question = "What is exp(before - now) if the earlier score was larger by 100?",
         .make = [](Choices& c) { c.change<Tiling>().largest = Tiling::Largest::of_this_tile; }},
        {.id = "maximum_forgotten_in_blocked_tile",
         .decision = "running_maximum",
         .title = "scores are compared with the largest of their own tile; a tile that is blocked as a whole makes the "
                  "next one wipe out those before it",
         .right = running_maximum,
         .symptom = "right without masks and for small scores; else keys before a blocked tile are lost",
         .question = "What does largest hold after a tile whose scores are all -infinity?",
         .make = [](Choices& c) { c.change<Tiling>().largest = Tiling::Largest::of_this_tile_even_if_blocked; }},
        {.id = "maximum_of_first_tile",
         .decision = "running_maximum",
         .title = "the running maximum goes stale: it stays that of the first tile",
         .right = running_maximum,
         .symptom = "right for small scores; overflows where a later score is much larger",
         .question = "What is exp(score - largest) if the score is larger by 100?",
         .make = [](Choices& c) { c.change<Tiling>().largest = Tiling::Largest::of_the_first_tile; }},
        {.id = "maximum_starts_at_zero",
         .decision = "running_start",
         .title = "the running maximum starts at 0",
         .right = starts_at_minus_infinity,
         .symptom = "rows whose scores are all far below 0 vanish",
         .question = "What is exp(-200 - 0) in float?",
         .make = [](Choices& c) { c.change<Tiling>().start = 0; }},
        {.id = "maximum_starts_finite",
         .decision = "running_start",
         .title = "the running maximum starts at a large negative number, such as -5000, instead of -infinity",
         .right = starts_at_minus_infinity,
         .symptom = "rows whose scores are all lower come out as zeros",
         .question = "Is there a score below the number that you start from?",
         .make = [](Choices& c) { c.change<Tiling>().start = -5000; }},
        {.id = "blocked_scores_finite",
         .decision = "running_start",
         .title = "blocked scores are a large negative number instead of -infinity",
         .right = "blocked scores are -infinity: the key does not exist",
         .symptom = "a query that sees no key gets the mean of values that it must not see",
         .question = "What is softmax of a row whose scores are all -1e9?",
         .make = [](Choices& c) { c.change<Tiling>().blocked_score = -1e9; }},
        {.id = "empty_tile_is_nan",
         .decision = "empty_tile",
         .title = "a row that has seen no key so far computes exp(-∞ - -∞), which is NaN, and stays NaN",
         .right = "as long as every score was -infinity, total and gathered stay 0",
         .symptom = "masks and causal attention give NaN wherever the first tile of a row is blocked",
         .question = "What is -infinity minus -infinity?",
         .make = [](Choices& c) { c.change<Tiling>().empty_tile_is_nan = true; }},
        {.id = "empty_tile_is_zero",
         .decision = "empty_tile",
         .title = "a row that has seen no key so far stores 0 as its largest score instead of -infinity",
         .right = "subtract 0 where nothing was seen, and store -infinity: a later score, however low, is the largest",
         .symptom = "rows that begin with a blocked tile vanish if all their scores are far below 0",
         .question = "What is the larger of 0 and -20000, and is 0 a score that was seen?",
         .make = [](Choices& c) { c.change<Tiling>().empty_tile_is_zero = true; }},
        {.id = "divided_after_every_tile",
         .decision = "division",
         .title = "what was gathered is divided by the total after every tile, and again at the end",
         .right = "divide once, after the last tile",
         .symptom = "all results are too small",
         .question = "How often is gathered divided by total?",
         .make = [](Choices& c) { c.change<Tiling>().divided_after_tiles = true; }},
        {.id = "never_divided_by_total",
         .decision = "division",
         .title = "what was gathered is not divided by the total",
         .right = "context = gathered / total",
         .symptom = "contexts grow with the number of keys",
         .question = "What do the weights of one query sum to?",
         .make = [](Choices& c) { c.change<Tiling>().divided = false; }},
        {.id = "divided_by_an_empty_total",
         .decision = "empty_total",
         .title = "rows that saw no key are divided by a total of 0",
         .right = "a query that sees no key gets zeros",
         .symptom = "NaN, which spreads through every later layer",
         .question = "What is 0 / 0?",
         .make = [](Choices& c) { c.change<Tiling>().empty_total_is_nan = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
