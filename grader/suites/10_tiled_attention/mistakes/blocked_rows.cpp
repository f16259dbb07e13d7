// What is decided for several rows at once, by one of them, and for rows with low scores.
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace chapters {

Chapter blocked_rows() {
    static constexpr Decision decisions[] = {
        {.id = "blocked_tiles",
         .stage = Stage::mask,
         .lesson = {{"10", "Tiles of queries, and the future"}},
         .pseudocode = "skip a tile only if the mask blocks all of it: every query of the tile with every key"},
        {.id = "causal_sizes",
         .stage = Stage::mask,
         .lesson = {{"10", in_the_header}},
         .pseudocode = "with T > S, queries t < T - S see no key: zeros; refuse nothing because of S - T < 0"},
        {.id = "tile_sizes",
         .stage = Stage::scores,
         .lesson = {{"10", in_the_header}},
         .pseudocode = "a tile of keys holds min(tile, S) of them, a tile of queries min(tile, T)"},
        {.id = "blocked_rows",
         .stage = Stage::softmax,
         .lesson = {{"10", "Rows that have seen nothing"}},
         .pseudocode = "for each row [b,h,t]: if its largest score so far is -infinity, it adds nothing; go on with "
                       "the next row"},
        {.id = "low_rows",
         .stage = Stage::softmax,
         .lesson = {{"10", "Rows that have seen nothing"}},
         .pseudocode =
             "a row has seen no key if its total is 0, or its largest score -infinity; no other number says so"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "tile_blocked_by_its_first_query",
         .decision = "blocked_tiles",
         .title = "a tile of keys is skipped where the mask blocks it for the first query of the tile, though other "
                  "queries see it",
         .right = "skip a tile only if the mask blocks all of it, for every query",
         .symptom = "right where all queries share a mask, or for tiles of one query; else later queries lose keys",
         .question = "Which rows of the mask do you look at before you skip a tile?",
         .make = [](Choices& c) { c.change<Tiling>().blocked_by_first_query = true; }},
        {.id = "causal_refuses_fewer_keys",
         .decision = "causal_sizes",
         .title = "Causal::yes with more queries than keys is refused",
         .right = "a query sees keys s <= t + (S - T): with T > S the first T - S see none, and get zeros",
         .symptom = "throws where it should answer",
         .question = "Which sizes does the header say do not fit, and is T > S among them?",
         .make = [](Choices& c) { c.change<Tiling>().fewer_keys_refused = true; }},
        {.id = "absorb_ends_at_a_blocked_row",
         .decision = "blocked_rows",
         .title = "absorb ends at the first row all of whose scores are -infinity: rows after it learn nothing",
         .right = "such a row adds nothing, and the next row is taken in like any other",
         .symptom =
             "right while every row sees a key of the tile; else all queries, heads and sequences behind are lost",
         .question = "Do you leave the row, or the function?",
         .make = [](Choices& c) { c.change<Tiling>().ends_at_a_blocked_row = true; }},
        {.id = "emptiness_told_by_the_first_row",
         .decision = "blocked_rows",
         .title = "whether a row has seen no key yet is told by the first row of its head, for all its rows",
         .right = "each row has a largest score of its own, and is shifted by 0 only if that is -infinity",
         .symptom = "right while all queries see the same keys; else NaN, or sums that do not fit their largest score",
         .question = "For which rows is exp(-∞ - -∞) computed where row 0 sees a key and row 1 sees none?",
         .make = [](Choices& c) { c.change<Tiling>().empty_by_the_first_row = true; }},
        {.id = "low_rows_taken_for_empty",
         .decision = "low_rows",
         .title = "a row whose largest score is very low, such as below -100000, is taken for one that saw no key: "
                  "its context is 0",
         .right = "a row has seen no key only if its total is 0, or its largest score is -infinity",
         .symptom = "right for ordinary scores; else a query loses all that it saw",
         .question = "Which number can only a row hold that has seen no key?",
         .make = [](Choices& c) { c.change<Tiling>().low_rows_are_empty = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
