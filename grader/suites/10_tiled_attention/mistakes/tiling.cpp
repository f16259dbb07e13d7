// Softmax over tiles of keys: edges, masks and the future.
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

constexpr const char* cut_at_the_edge = "the last tile is smaller: it ends at S";

}  // namespace

namespace chapters {

Chapter tiling() {
    static constexpr Decision decisions[] = {
        {.id = "tile_edge",
         .stage = "scores",
         .lesson = {{"10", "What people get wrong"}},
         .pseudocode = "for s = 0, tile, 2·tile, ... < S: keys [s, min(s + tile, S)); queries alike"},
        {.id = "tile_of_queries",
         .stage = "output",
         .lesson = {{"10", "Tiles of queries, and the future"}},
         .pseudocode =
             "for t = 0, tile, 2·tile, ... < T: queries [t, min(t + tile, T)), each tile with a state of its own"},
        {.id = "tile_mask",
         .stage = "mask",
         .lesson = {{"10", "Tiles of queries, and the future"}},
         .pseudocode = "score [t - t0, s - s0] of a tile is blocked by mask[b,h,t,s], or if s > t + (S - T)"},
        {.id = "tile_causality",
         .stage = "mask",
         .lesson = {{"10", "Tiles of queries, and the future"}},
         .pseudocode =
             "hidden if s > t + (S - T), t and s counted from the beginning of the sequence, not of the tile"},
        {.id = "future_tiles",
         .stage = "mask",
         .lesson = {{"10", "Tiles of queries, and the future"}},
         .pseudocode = "if the first key of a tile lies in the future of its last query: do not compute the tile"},
        {.id = "check_score_rows",
         .stage = "",
         .lesson = {{"10", in_the_header}},
         .pseudocode =
             "scores must be (B,H,T,n) for a state of (B,H,T,...), v (B,H,n,d_v); else std::invalid_argument"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- tiles ----
        {.id = "last_keys_dropped",
         .decision = "tile_edge",
         .title = "keys behind the last whole tile are never looked at",
         .right = cut_at_the_edge,
         .symptom = "right where the tile divides S, or holds it all; else the latest keys are missed",
         .question = "With 7 keys and a tile of 3, which keys does your last tile hold?",
         .make = [](Choices& c) { c.change<Tiling>().edge = Tiling::Edge::dropped; }},
        {.id = "last_tile_moved_back",
         .decision = "tile_edge",
         .title = "the last tile is moved back until it is full: keys of the tile before it count twice",
         .right = cut_at_the_edge,
         .symptom = "right where the tile divides S, or holds it all",
         .question = "With 7 keys and a tile of 3, in how many tiles is key 5?",
         .make = [](Choices& c) { c.change<Tiling>().edge = Tiling::Edge::moved_back; }},
        {.id = "edge_keys_score_zero",
         .decision = "tile_edge",
         .title = "the last tile is filled up with keys that do not exist, which get a score of 0 and a share",
         .right = cut_at_the_edge,
         .symptom = "right where the tile divides S; else every weight is too small, the more the lower the scores are",
         .question = "What is exp(0), and who gets it?",
         .make = [](Choices& c) { c.change<Tiling>().edge = Tiling::Edge::zero_scores; }},
        {.id = "edge_keys_score_zero_beside_whole_tiles",
         .decision = "tile_edge",
         .title = "behind whole tiles, the last one is filled up with keys that do not exist, which get a score of 0",
         .right = cut_at_the_edge,
         .symptom = "right where the tile divides S, or holds it all",
         .question = "What is exp(0), and who gets it?",
         .make = [](Choices& c) { c.change<Tiling>().edge = Tiling::Edge::zero_scores_beside_whole_tiles; }},
        {.id = "last_queries_dropped",
         .decision = "tile_of_queries",
         .title = "queries behind the last whole tile get zeros",
         .right = "the last tile is smaller: it ends at T",
         .symptom = "right where the tile divides T",
         .question = "With 7 queries and a tile of 3, who computes query 6?",
         .make = [](Choices& c) { c.change<Tiling>().last_queries_dropped = true; }},
        {.id = "state_goes_on_to_next_queries",
         .decision = "tile_of_queries",
         .title = "the running sums are not begun anew for the next tile of queries",
         .right = "each tile of queries begins with nothing_seen",
         .symptom = "the first tile is right; later queries get a part of what earlier ones gathered",
         .question = "What do largest, total and gathered hold when the second tile of queries begins?",
         .make = [](Choices& c) { c.change<Tiling>().state_goes_on = true; }},
        {.id = "mask_of_first_tile",
         .decision = "tile_mask",
         .title = "the mask is read from key 0 in every tile",
         .right = "a tile that begins at key s0 has its mask from key s0 on",
         .symptom = "right with one tile; else later keys get the mask of the first ones",
         .question = "Which mask does the first key of the second tile get?",
         .make = [](Choices& c) { c.change<Tiling>().mask_of_first_tile = true; }},
        {.id = "mask_of_first_queries",
         .decision = "tile_mask",
         .title = "the mask is read from query 0 in every tile of queries",
         .right = "a tile that begins at query t0 has its mask from query t0 on",
         .symptom = "right with one tile, or where all queries share one mask; else later queries get the mask of the "
                    "first ones",
         .question = "Which row of the mask does the first query of the second tile get?",
         .make = [](Choices& c) { c.change<Tiling>().mask_of_first_queries = true; }},
        {.id = "causal_counts_from_the_tile",
         .decision = "tile_causality",
         .title = "within a tile, causality is counted from the corner of the tile",
         .right = "compare positions in the sequence: s > t + (S - T)",
         .symptom = "right for one tile with T = S; else the past is hidden too",
         .question = "Which positions do you compare: in the tile or in the sequence?",
         .make = [](Choices& c) { c.change<Tiling>().causality = Tiling::Causality::by_place_in_tile; }},
        {.id = "diagonal_tiles_not_masked",
         .decision = "tile_causality",
         .title = "tiles of the future are skipped, but in tiles on the diagonal nothing is blocked",
         .right = "a tile that lies partly in the future is masked key by key",
         .symptom = "queries see a few keys of their future; training looks too good",
         .question = "Which keys does the first query of a tile see?",
         .make = [](Choices& c) { c.change<Tiling>().causality = Tiling::Causality::whole_tiles; }},
        {.id = "causal_up_to_the_last_query",
         .decision = "tile_causality",
         .title = "all queries of a tile see what its last query sees",
         .right = "a tile that lies partly in the future is masked key by key",
         .symptom = "queries see the future up to the last one of their tile, and nothing behind it",
         .question = "Which keys does the first query of a tile see?",
         .make = [](Choices& c) { c.change<Tiling>().causality = Tiling::Causality::up_to_the_last_query; }},
        {.id = "future_tiles_computed",
         .decision = "future_tiles",
         .title = "tiles that lie wholly in the future are computed and then masked",
         .right = "skip them: what stands there is never looked at",
         .symptom = "twice the work, and NaN in a value of the future reaches the past: 0 · NaN is NaN",
         .question = "How many tiles does your code compute for the first queries?",
         .make = [](Choices& c) { c.change<Tiling>().skipped = Tiling::Skipped::none; }},
        {.id = "last_visible_key_skipped",
         .decision = "future_tiles",
         .title = "tiles that begin at the last key that their queries see are skipped too",
         .right = "skip a tile if its first key lies behind the last query, s0 > t_last + (S - T), not at it",
         .symptom = "wherever a tile begins at its own position, the last query of a tile misses the newest key",
         .question = "Is it > or >= where you compare the first key of a tile with the last query?",
         .make = [](Choices& c) { c.change<Tiling>().skipped = Tiling::Skipped::at_the_last_query; }},
        {.id = "tiles_behind_the_first_query_skipped",
         .decision = "future_tiles",
         .title = "tiles that begin behind the first query of a tile are skipped, though its later queries see them",
         .right = "skip a tile only if its last query sees none of it",
         .symptom = "right where tiles of queries and of keys begin at the same positions; else queries miss the past",
         .question = "Which query of a tile sees the most keys?",
         .make = [](Choices& c) { c.change<Tiling>().skipped = Tiling::Skipped::behind_the_first_query; }},
        {.id = "scale_sqrt_tile",
         .decision = "scale",
         .title = "scores are divided by √tile",
         .right = "they should be divided by √head_dim, the width that q·k sums over",
         .symptom = "results depend on the size of the tile",
         .question = "Does a score know how large a tile is?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) {
                     // Where there are no tiles nobody divides by one.
                     return 1 / std::sqrt(static_cast<double>(w.tile == 0 ? w.d : w.tile));
                 };
             }},
        // ---- what does not fit ----
        {.id = "accepts_what_fits_no_query",
         .decision = "check_score_rows",
         .title = "scores and values that do not fit what was gathered are not refused",
         .right = "throw std::invalid_argument, as the header says",
         .symptom = "rows are passed over, or an index runs past the end of its tensor",
         .question = "What does absorb do with scores of one more query, or with wider values?",
         .make = [](Choices& c) { c.checking.score_rows = false; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
