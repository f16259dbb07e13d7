// How a tile is taken in beside what was summed before, what the next tile finds of it, and what comes out.
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis::chapters {

Chapter taking_in() {
    static constexpr Mistake mistakes[] = {
        {.id = "own_part_shrinks_too",
         .decision = "rescale",
         .title = "what a tile adds shrinks too: the sums are multiplied by exp(before - now) once it is added",
         .right = "multiply what was there before by exp(before - now), then add the tile",
         .symptom = "0 with one tile, where before is -infinity; else tiles that raise the largest count too little",
         .question = "What is exp(before - now) for the first tile, and what do you multiply by it?",
         .make = [](Choices& c) { c.change<Tiling>().own_part_shrinks_too = true; }},
        {.id = "rescale_once_for_each_key",
         .decision = "rescale",
         .title =
             "the sums shrink once for each key of a tile, by exp(before - now) of the whole tile, instead of once "
             "a tile",
         .right = "multiply what was there before by exp(before - now) once, then add all keys of the tile",
         .symptom = "right for tiles of one key; else keys of the tile itself shrink with those before, and of the "
                    "first tile only its last key remains",
         .question = "How often is total multiplied by exp(before - now) while one tile of three keys is taken in?",
         .make = [](Choices& c) { c.change<Tiling>().shrinks_for_each_key = true; }},
        {.id = "tile_normalised_before_it_is_added",
         .decision = "division",
         .title = "what a tile adds to gathered is divided by the sum of the tile, and in the end by the total again",
         .right = "gathered holds Σ exp(score - now)·v, not divided by anything; divide once, after the last tile",
         .symptom =
             "right where a query sees one key alone; else wrong, also with one tile: then all results are too small",
         .question = "What do the numbers sum to that you multiply with the values of a tile?",
         .make = [](Choices& c) { c.change<Tiling>().tile_normalised = true; }},
        {.id = "maximum_never_stored_even_if_blocked",
         .decision = "running_maximum",
         .title = "the running maximum goes stale: it is never stored, so each tile wipes out those before it, even "
                  "where it is blocked itself",
         .right = "largest is the largest score of all keys seen so far, and is stored",
         .symptom = "only the last tile counts; rows for which it is blocked become 0",
         .question = "What does largest hold after the first tile? And if absorb assigns it: to the state, or to a "
                     "Running whose tensors are views of the state's? What is assigned is another tensor.",
         .make =
             [](Choices& c) {
                 c.change<Tiling>().largest = Tiling::Largest::never_stored;
                 c.change<Tiling>().empty_tile_forgets = true;
             }},
        {.id = "one_empty_row_makes_all_zeros",
         .decision = "empty_total",
         .title = "one row that saw no key makes the whole context 0, and not its own row alone",
         .right = "each row [b,h,t] that saw no key gets zeros, and every other row its quotient",
         .symptom = "right while every row sees a key; else all queries, heads and sequences of the state get zeros",
         .question = "What do you return for the other rows once you have found one whose total is 0?",
         .make = [](Choices& c) { c.change<Tiling>().any_empty_row_tells_in_the_end = true; }},
    };
    return {{}, mistakes};
}

}  // namespace headway::diagnosis::chapters
