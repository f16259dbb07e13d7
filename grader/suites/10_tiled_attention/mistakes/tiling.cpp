// Softmax over tiles of keys: edges, masks and the future.
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

constexpr const char* cut_at_the_edge = "the last tile is smaller: it ends at S";
constexpr const char* begins_anew = "each tile of queries begins with nothing_seen";
constexpr const char* begins_with_what = "What do largest, total and gathered hold when the next queries begin?";

/// @param query_by_query  or tile by tile, from the query at the same place
void goes_on(Choices& c, Tiling::Begun begun, bool query_by_query) {
    c.change<Tiling>().begun = begun;
    c.change<Tiling>().goes_on_query_by_query = query_by_query;
}

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
        {.id = "check_score_rows",
         .stage = "",
         .lesson = {{"10", in_the_header}},
         .pseudocode =
             "scores must be (B,H,T,n) for a state of (B,H,T,...), v (B,H,n,d_v); else std::invalid_argument"},
        {.id = "check_sizes",
         .stage = "",
         .lesson = {{"10", in_the_header}},
         .pseudocode = "if B, H, T or d_v is below 1: throw std::invalid_argument"},
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
        {.id = "tiles_overlap_by_one_key",
         .decision = "tile_edge",
         .title = "each tile holds one key too many, the first of the next tile: keys on the border count twice",
         .right = "keys [s, s + tile), and the next tile begins at s + tile",
         .symptom = "right with one tile; else keys on the border get twice their weight",
         .question = "With 7 keys and a tile of 3, in how many tiles is key 3?",
         .make = [](Choices& c) { c.change<Tiling>().edge = Tiling::Edge::one_too_late; }},
        {.id = "keys_end_at_the_number_of_queries",
         .decision = "tile_edge",
         .title = "only as many keys are visited as there are queries",
         .right = "the loop over tiles of keys ends at S, not at T",
         .symptom = "right for self-attention; else the latest keys are missed",
         .question = "Which size ends your loop over keys?",
         .make = [](Choices& c) { c.change<Tiling>().keys_end_at_T = true; }},
        {.id = "keys_of_first_tile",
         .decision = "tile_edge",
         .title = "every tile is compared with the keys of the first tile",
         .right = "a tile that begins at key s0 has its keys from s0 on",
         .symptom = "right with one tile; else later values get the weights of the first ones",
         .question = "Which keys does your second tile cut out of k?",
         .make = [](Choices& c) { c.change<Tiling>().keys_of_first_tile = true; }},
        {.id = "values_of_first_tile",
         .decision = "tile_edge",
         .title = "every tile gathers the values of the first tile's keys",
         .right = "a tile that begins at key s0 has its values from s0 on",
         .symptom = "right with one tile; else values after the first ones are never looked at",
         .question = "Which values does your second tile cut out of v?",
         .make = [](Choices& c) { c.change<Tiling>().values_of_first_tile = true; }},
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
        {.id = "short_tiles_of_queries_dropped",
         .decision = "tile_of_queries",
         .title = "queries that fill no whole tile get zeros, even where there is no other tile",
         .right = "the last tile is smaller: it ends at T",
         .symptom = "right where the tile divides T",
         .question = "With 2 queries and a tile of 3, who computes query 0?",
         .make = [](Choices& c) { c.change<Tiling>().short_tiles_dropped = true; }},
        {.id = "state_goes_on_to_next_queries",
         .decision = "tile_of_queries",
         .title = "the running sums are not begun anew for the next tile of queries",
         .right = begins_anew,
         .symptom = "the first tile is right; later queries get a part of what earlier ones gathered",
         .question = begins_with_what,
         .make = [](Choices& c) { goes_on(c, Tiling::Begun::unless_whole, false); }},
        {.id = "state_begun_once_a_head",
         .decision = "tile_of_queries",
         .title = "the running sums are begun once for each head: each query goes on from the one before it",
         .right = begins_anew,
         .symptom = "query 0 is right; later queries get what earlier ones gathered, too",
         .question = begins_with_what,
         .make = [](Choices& c) { goes_on(c, Tiling::Begun::for_each_head, true); }},
        {.id = "state_begun_once_a_sequence",
         .decision = "tile_of_queries",
         .title = "the running sums are begun once for each sequence: each query goes on from the one before it, also "
                  "from one head to the next",
         .right = begins_anew,
         .symptom = "query 0 of head 0 is right; later queries and heads get what earlier ones gathered, too",
         .question = begins_with_what,
         .make = [](Choices& c) { goes_on(c, Tiling::Begun::for_each_sequence, true); }},
        {.id = "state_begun_once",
         .decision = "tile_of_queries",
         .title = "the running sums are begun once in a call: each query goes on from the one before it, also from one "
                  "head or sequence to the next",
         .right = begins_anew,
         .symptom = "the very first query is right; all others get what earlier ones gathered, too",
         .question = begins_with_what,
         .make = [](Choices& c) { goes_on(c, Tiling::Begun::once, true); }},
        {.id = "state_goes_on_within_a_head",
         .decision = "tile_of_queries",
         .title = "the running sums are begun once for each head: each tile of queries goes on from the one before it",
         .right = begins_anew,
         .symptom = "right with one tile of queries; else later queries get a part of what earlier ones gathered",
         .question = begins_with_what,
         .make = [](Choices& c) { goes_on(c, Tiling::Begun::for_each_head, false); }},
        {.id = "state_goes_on_within_a_sequence",
         .decision = "tile_of_queries",
         .title = "the running sums are begun once for each sequence: each tile of queries goes on from the one before "
                  "it, also from one head to the next",
         .right = begins_anew,
         .symptom = "the first tile of head 0 is right; later ones get a part of what earlier ones gathered",
         .question = begins_with_what,
         .make = [](Choices& c) { goes_on(c, Tiling::Begun::for_each_sequence, false); }},
        {.id = "state_goes_on_within_a_call",
         .decision = "tile_of_queries",
         .title =
             "the running sums are begun once in a call: each tile of queries goes on from the one before it, also "
             "from one head or sequence to the next",
         .right = begins_anew,
         .symptom = "the very first tile is right; later ones get a part of what earlier ones gathered",
         .question = begins_with_what,
         .make = [](Choices& c) { goes_on(c, Tiling::Begun::once, false); }},
        {.id = "queries_of_first_tile",
         .decision = "tile_of_queries",
         .title = "every tile of queries is computed with the queries of the first tile",
         .right = "a tile that begins at query t0 has its queries from t0 on",
         .symptom = "right with one tile of queries; else later queries get the answers of the first ones",
         .question = "Which queries does your second tile cut out of q?",
         .make = [](Choices& c) { c.change<Tiling>().queries_of_first_tile = true; }},
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
        {.id = "tile_blocked_by_its_corners",
         .decision = "tile_mask",
         .title = "a tile is skipped where its four corners are blocked, although keys inside it are open",
         .right = "skip a tile only if the mask blocks all of it, for every query, head and sequence",
         .symptom = "right for causal masks and padding, and for tiles of 1 or 2; else keys inside a tile are lost",
         .question = "Can a key in the middle of a tile be open while its corners are blocked?",
         .make = [](Choices& c) { c.change<Tiling>().blocked_by_corners = true; }},
        {.id = "keys_end_at_a_blocked_tile",
         .decision = "tile_mask",
         .title = "a query sees nothing of what follows a tile of keys that is blocked for it as a whole",
         .right = "a blocked tile adds nothing, and the tiles behind it are computed like any other",
         .symptom = "right for causal masks and for padding on the right; else keys behind a blocked tile are lost",
         .question = "Which mask blocks the first tile of keys and leaves the second one open?",
         .make = [](Choices& c) { c.change<Tiling>().ends_at_a_blocked_tile = true; }},
        {.id = "first_tile_scaled_alone",
         .decision = "scale",
         .title = "only the scores of the first tile of keys are divided by √head_dim",
         .right = "the scores of every tile are divided by √head_dim",
         .symptom = "right with one tile; else later keys get too much or too little",
         .question = "Where does your code scale, before or inside the loop over tiles?",
         .make = [](Choices& c) { c.change<Tiling>().first_tile_scaled_alone = true; }},
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
        {.id = "accepts_sizes_below_one",
         .decision = "check_sizes",
         .title = "sizes below 1 are not refused",
         .right = "throw std::invalid_argument, as the header says",
         .symptom = "a state without rows or values, of which later steps make something or other",
         .question = "What does nothing_seen do with d_v = 0?",
         .make = [](Choices& c) { c.checking.sizes = false; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
