// The causal option in tiles: what is masked, and what is skipped.
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* in_the_sequence = "compare positions in the sequence: s > t + (S - T)";
constexpr const char* signed_border =
    "block s > t + (S - T), which is every key where t + (S - T) is negative: an Index, which has a sign";
constexpr const char* which_positions = "Which positions do you compare: in the tile or in the sequence?";

void hide(Choices& c, Tiling::Causality how) { c.change<Tiling>().causality = how; }

void skip(Choices& c, Tiling::Skipped which) { c.change<Tiling>().skipped = which; }

}  // namespace

namespace chapters {

Chapter causal_tiles() {
    static constexpr Decision decisions[] = {
        {.id = "tile_causality",
         .stage = Stage::mask,
         .lesson = {{"10", "Tiles of queries, and the future"}},
         .pseudocode =
             "hidden if s > t + (S - T), t and s counted from the beginning of the sequence, not of the tile"},
        {.id = "future_tiles",
         .stage = Stage::mask,
         .lesson = {{"10", "Tiles of queries, and the future"}},
         .pseudocode = "if the first key of a tile lies in the future of its last query: do not compute the tile"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "causal_counts_from_the_tile",
         .decision = "tile_causality",
         .title = "within a tile, causality is counted from the corner of the tile",
         .right = "compare positions in the sequence: s > t + (S - T)",
         .symptom = "right for one tile with T = S; else the past is hidden too",
         .question = "Which positions do you compare: in the tile or in the sequence?",
         .make = [](Choices& c) { hide(c, Tiling::Causality::by_place_in_tile); }},
        {.id = "causal_counts_from_the_tile_with_offset",
         .decision = "tile_causality",
         .title = "within a tile, causality is counted from the corner of the tile, and S - T is added",
         .right = in_the_sequence,
         .symptom = "right for one tile; else queries miss their past, or see their future",
         .question = which_positions,
         .make = [](Choices& c) { hide(c, Tiling::Causality::by_place_in_tile_and_offset); }},
        {.id = "causal_counts_keys_from_the_tile",
         .decision = "tile_causality",
         .title = "for causality keys are counted from the beginning of their tile, queries from that of the sequence",
         .right = in_the_sequence,
         .symptom = "right with one tile of keys; else queries see their future in later tiles",
         .question = which_positions,
         .make = [](Choices& c) { hide(c, Tiling::Causality::keys_by_place_in_tile); }},
        {.id = "causal_counts_queries_from_the_tile",
         .decision = "tile_causality",
         .title = "for causality queries are counted from the beginning of their tile, keys from that of the sequence",
         .right = in_the_sequence,
         .symptom = "right with one tile of queries; else later queries miss their past",
         .question = which_positions,
         .make = [](Choices& c) { hide(c, Tiling::Causality::queries_by_place_in_tile); }},
        {.id = "causal_top_left_in_tiles",
         .decision = "tile_causality",
         .title =
             "query t sees no key after number t, as if T were S; only the choice of the tiles that are skipped is "
             "right",
         .right = "block s > t + (S - T): the last query sees the last key",
         .symptom = "right for T = S; else queries miss their latest keys, or see their future",
         .question = "With 3 queries and 5 keys, which keys does query 0 see?",
         .make =
             [](Choices& c) {
                 c.masking.future = [](Index t, Index s, Index, Index) { return s > t; };
                 c.change<Tiling>().skipped = Tiling::Skipped::by_position;
             }},
        {.id = "causal_one_ahead_in_tiles",
         .decision = "tile_causality",
         .title = "each query sees the key after its own, unless that is the first of a tile: such tiles are skipped",
         .right = "block s > t + (S - T)",
         .symptom = "training is perfect, generation is garbage: it copies the answer",
         .question = "Which is the last key that query 0 may see?",
         .make =
             [](Choices& c) {
                 c.masking.future = [](Index t, Index s, Index T, Index S) { return s > t + (S - T) + 1; };
                 c.change<Tiling>().skipped = Tiling::Skipped::by_position;
             }},
        {.id = "diagonal_tiles_not_masked",
         .decision = "tile_causality",
         .title = "tiles of the future are skipped; in those on the diagonal the future is not blocked",
         .right = "a tile that lies partly in the future is masked key by key",
         .symptom = "queries see a few keys of their future; training looks too good",
         .question = "Which keys does the first query of a tile see?",
         .make = [](Choices& c) { hide(c, Tiling::Causality::whole_tiles); }},
        {.id = "causal_up_to_the_last_query",
         .decision = "tile_causality",
         .title = "all queries of a tile see what its last query sees",
         .right = "a tile that lies partly in the future is masked key by key",
         .symptom = "queries see the future up to the last one of their tile, and nothing behind it",
         .question = "Which keys does the first query of a tile see?",
         .make = [](Choices& c) { hide(c, Tiling::Causality::up_to_the_last_query); }},
        {.id = "causal_up_to_the_first_query",
         .decision = "tile_causality",
         .title = "all queries of a tile see what its first query sees, and no more",
         .right = "a tile that lies partly in the future is masked key by key",
         .symptom = "right for a tile of 1; else queries do not see themselves, nor their neighbours",
         .question = "Up to which key does your loop run for the last query of a tile?",
         .make = [](Choices& c) { hide(c, Tiling::Causality::up_to_the_first_query); }},
        {.id = "causal_blind_queries_see_their_tile",
         .decision = "tile_causality",
         .title = "queries that may see no key see some of them, or all: t + (S - T) is taken for a large number where "
                  "it is below 0",
         .right = signed_border,
         .symptom = "right for T <= S; with more queries than keys, the first ones see what they should not",
         .question = "With 5 queries and 3 keys: what is t + (S - T) for the first query, in the type that you use?",
         .make =
             [](Choices& c) {
                 hide(c, Tiling::Causality::blind_queries_up_to_the_last_query);
                 // Which tiles are skipped is counted in the same numbers.
                 c.masking.future = [](Index t, Index s, Index T, Index S) {
                     return t + (S - T) >= 0 && s > t + (S - T);
                 };
             }},
        {.id = "causal_each_blind_query_sees_all",
         .decision = "tile_causality",
         .title = "queries that may see no key see every key: t + (S - T) is taken for a large number where it is "
                  "below 0",
         .right = signed_border,
         .symptom = "right for T <= S; with more queries than keys, the first ones see what they should not",
         .question = "With 5 queries and 3 keys: what is t + (S - T) for the first query, in the type that you use?",
         .make =
             [](Choices& c) {
                 skip(c, Tiling::Skipped::by_each_query);
                 c.masking.future = [](Index t, Index s, Index T, Index S) {
                     return t + (S - T) >= 0 && s > t + (S - T);
                 };
             }},
        {.id = "causal_border_below_zero_of_one_query",
         .decision = "tile_causality",
         .title = "queries that stand 2 or more before the first key see every key: t + (S - T) + 1 is taken for a "
                  "large number where it is below 0",
         .right = signed_border,
         .symptom = "right for T <= S + 1; with more queries, those at the beginning see what they should not",
         .question = "With 5 queries and 3 keys: what is t + (S - T) + 1 for the first query, in the type that you "
                     "use?",
         .make =
             [](Choices& c) {
                 skip(c, Tiling::Skipped::by_each_query);
                 c.masking.future = [](Index t, Index s, Index T, Index S) {
                     return t + (S - T) + 1 >= 0 && s > t + (S - T);
                 };
             }},
        {.id = "queries_counted_from_their_tile",
         .decision = "tile_causality",
         .title = "for the mask and for causality, queries are counted from the beginning of their tile",
         .right = "row t of a tile is query begin + t of the whole: in the mask, and before its future",
         .symptom = "right in the first tile of queries, or with one tile; later ones see what the first one does",
         .question = "With a tile of 3, which row of the mask belongs to query 4?",
         .make =
             [](Choices& c) {
                 hide(c, Tiling::Causality::queries_by_place_in_tile);
                 c.change<Tiling>().mask_of_first_queries = true;
             }},
        {.id = "tiles_on_the_diagonal_masked_alone",
         .decision = "tile_causality",
         .title = "only tiles of keys that begin where the queries do are masked, though the diagonal crosses others",
         .right = "mask every tile that lies partly in the future: the diagonal is s = t + (S - T)",
         .symptom = "right for T = S, and where each tile has one query; else queries see keys of their future",
         .question = "Through which tiles does the diagonal run with T = 4 and S = 7?",
         .shipped = {"FlashAttention: https://github.com/Dao-AILab/flash-attention/pull/436"},
         .make = [](Choices& c) { hide(c, Tiling::Causality::tiles_at_the_same_place); }},
        {.id = "future_tiles_computed",
         .decision = "future_tiles",
         .title = "tiles that lie wholly in the future are computed and then masked",
         .right = "skip them: what stands there is never looked at",
         .symptom = "twice the work, and NaN in a value of the future reaches the past: 0 · NaN is NaN",
         .question = "How many tiles does your code compute for the first queries?",
         .make = [](Choices& c) { skip(c, Tiling::Skipped::none); }},
        {.id = "last_visible_key_skipped",
         .decision = "future_tiles",
         .title = "tiles that begin at the last key that their queries see are skipped too",
         .right = "skip a tile if its first key lies behind the last query, s0 > t_last + (S - T), not at it",
         .symptom = "wherever a tile begins at its own position, the last query of a tile misses the newest key",
         .question = "Is it > or >= where you compare the first key of a tile with the last query?",
         .make = [](Choices& c) { skip(c, Tiling::Skipped::at_the_last_query); }},
        {.id = "tiles_behind_the_first_query_skipped",
         .decision = "future_tiles",
         .title = "tiles that begin behind the first query of a tile are skipped, though its later queries see them",
         .right = "skip a tile only if its last query sees none of it",
         .symptom = "right where tiles begin at 0 and S - T is a multiple of the tile; else queries miss the past",
         .question = "Which query of a tile sees the most keys?",
         .make = [](Choices& c) { skip(c, Tiling::Skipped::behind_the_first_query); }},
        {.id = "tiles_that_reach_the_future_skipped",
         .decision = "future_tiles",
         .title = "tiles whose last key the last query does not see are skipped as a whole",
         .right = "skip a tile if its first key lies behind the last query, s0 > t_last + (S - T), not its last one",
         .symptom = "queries miss the keys of the tile in which their future begins",
         .question = "Does the last query of a tile see the first key of a tile that you skip?",
         .make = [](Choices& c) { skip(c, Tiling::Skipped::reaching_behind_the_last_query); }},
        {.id = "skipped_without_offset",
         .decision = "future_tiles",
         .title =
             "which tiles are skipped is decided as if T were S: those that begin behind key t of the last query t",
         .right = "skip a tile if its first key lies behind the last query, s0 > t_last + (S - T)",
         .symptom =
             "right for T = S; with fewer queries than keys they miss their latest keys, with more, tiles of the "
             "future are computed, and a NaN there gets in",
         .question = "With 3 queries, 7 keys and a tile of 3, which tiles do you skip?",
         .make = [](Choices& c) { skip(c, Tiling::Skipped::by_position_without_offset); }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
