#pragma once

#include "diagnosis/choices.hpp"
#include "reference/array.hpp"

#include <limits>
#include <vector>

namespace headway::diagnosis {

using reference::Array;

/// What is decided where softmax runs over the keys tile by tile (exercise 10). The defaults are right.
struct Tiling {
    /// What shrinks where a larger score turns up.
    enum class Shrinks { both, neither, total, gathered };
    /// What scores are compared with.
    enum class Largest {
        so_far,
        of_this_tile,
        of_this_tile_even_if_blocked,
        never_stored,
        stored_of_this_tile,  ///< they are compared with the largest so far, and that of their own tile is stored
        of_the_first_tile,
        of_blocked_too,
        of_all_queries  ///< of the tile: one largest score for a head
    };
    /// What a tile throws away of the tiles before it.
    enum class Replaced { neither, total, gathered, both };
    /// Where the sums begin anew. What goes on is the query at the same place of the tile before.
    enum class Begun { for_each_tile, unless_whole, for_each_head, for_each_sequence, once };
    /// Which tiles of queries of a head keep their sums in one state: copies of a state share its storage.
    enum class Shared { none, all_but_the_last, whole_ones };
    /// What becomes of the end of the keys that fills no tile.
    enum class Edge {
        cut,
        dropped,
        dropped_even_alone,
        last_of_a_longer_tile_dropped,  ///< one key, where the tile is longer than all keys
        dropped_of_visible,  ///< in causal attention, where it is not full of keys that a query of the tile sees
        moved_back,
        zero_scores,
        zero_scores_beside_whole_tiles,
        one_too_late
    };
    /// Where a causal tile is masked, if it is not skipped.
    enum class Causality {
        by_position,
        by_place_in_tile,
        by_place_in_tile_and_offset,  ///< S - T
        keys_by_place_in_tile,        ///< queries by their position
        queries_by_place_in_tile,     ///< keys by their position
        whole_tiles,
        up_to_the_last_query,
        up_to_the_first_query,
        blind_queries_up_to_the_last_query,  ///< or without a limit, where one past the last stands before key 0, too
        tiles_at_the_same_place              ///< as the queries; others are not masked
    };
    /// Which tiles of keys are not computed: those that begin behind what a query sees, at the last key that it sees,
    /// that end behind it, or none. It may be decided in another way than what is masked.
    enum class Skipped {
        behind_the_last_query,
        at_the_last_query,
        behind_the_first_query,
        reaching_behind_the_last_query,
        by_position,
        by_position_without_offset,  ///< S - T
        by_each_query,               ///< for itself, as in a loop that takes one query at a time
        none
    };
    double start = -std::numeric_limits<double>::infinity();  ///< the largest score before the first key
    double blocked_score = -std::numeric_limits<double>::infinity();
    Shrinks shrinks = Shrinks::both;
    bool shrinks_inverted = false;  ///< by exp(now - before)
    bool shrinks_by_two = false;    ///< by 2 to the power of before - now
    bool raises_by_two = false;     ///< new scores too, as 2 to the power of score - now
    bool gathered_shrinks_twice = false;
    bool shrinks_for_each_key = false;   ///< by the factor of the whole tile, before each of its keys is added
    bool own_part_shrinks_too = false;   ///< what a tile adds is multiplied with what was there before
    bool compares_with_zero = false;     ///< where the largest score is below 0: 0 takes its place, but is not stored
    bool raises_above_own_tile = false;  ///< new scores are compared with the largest of their tile alone
    Replaced replaced = Replaced::neither;
    Largest largest = Largest::so_far;
    bool key_by_key = false;              ///< each key is a tile of its own
    bool divided_after_tiles = false;     ///< gathered is divided by the total after each tile
    bool tile_normalised = false;         ///< what a tile adds to gathered is divided by the tile's own sum
    bool scores_in_memory_order = false;  ///< absorb reads them row-major from where they begin, whatever their strides
    bool empty_tile_is_zero = false;      ///< while no key was seen, 0 is stored as the largest score
    bool empty_tile_forgets = false;      ///< a tile without a key to see throws away what was seen before
    bool empty_tile_unshifted = false;    ///< a tile without a key to see multiplies what was seen by exp(largest)
    bool first_tile_scaled_alone = false;  ///< scores of further tiles are not divided by √head_dim
    bool empty_tile_is_nan = false;        ///< -inf - -inf while no key was seen
    bool divided = true;                   ///< in the end
    bool empty_total_is_nan = false;       ///< 0 / 0 in the end
    double total_at_least = 0;             ///< what gathered is divided by in the end, where the total is smaller
    int total_of_first = -1;               ///< of which axis (0, 1, 2: B, H, T) the first total divides all in the end
    Begun begun = Begun::for_each_tile;
    Shared shared = Shared::none;
    bool goes_on_query_by_query = false;  ///< with the query before, whatever the tile
    bool mean_of_tiles = false;           ///< each tile has a softmax of its own, and their contexts are averaged
    Edge edge = Edge::cut;
    bool keys_end_at_T = false;          ///< keys beyond as many as there are queries do not exist
    bool keys_of_first_tile = false;     ///< scores are those of the first tile's keys
    bool values_of_first_tile = false;   ///< what is gathered is those of the first tile's keys
    bool queries_of_first_tile = false;  ///< scores are those of the first tile's queries
    bool rows_written_first = false;     ///< each tile of queries fills the first rows of the result, others stay 0
    bool last_queries_dropped = false;   ///< queries that fill no tile get zeros
    bool short_tiles_dropped = false;    ///< also where there is no other tile of queries
    bool mask_of_first_tile = false;     ///< the mask is read from key 0 in every tile
    bool mask_of_first_queries = false;  ///< the mask is read from query 0 in every tile of queries
    bool blocked_by_corners = false;  ///< a tile is skipped if its four corners are blocked, in all sequences and heads
    bool blocked_by_first_query = false;      ///< a tile is skipped if the mask blocks it for the first of its queries
    bool first_row_tells_in_the_end = false;  ///< row 0 of head 0 of sequence 0 saw no key: all get zeros in the end
    bool any_empty_row_tells_in_the_end = false;  ///< some row saw no key: all get zeros in the end
    bool ends_at_a_blocked_row = false;           ///< rows behind one that sees nothing of a tile take nothing of it in
    bool empty_by_the_first_row = false;          ///< whether a row has seen no key is told by query 0 of its head
    bool fewer_keys_refused = false;              ///< fewer than queries, under the causal option
    bool low_rows_are_empty = false;              ///< rows with a very low largest score get zeros in the end
    bool ends_at_a_blocked_tile = false;  ///< a query sees no key behind a tile that is blocked for it as a whole
    Causality causality = Causality::by_position;
    Skipped skipped = Skipped::behind_the_last_query;
    static const Tiling& right();
};

/// How the scores of some queries (..., T, S) are cut.
struct Tiles {
    Index queries = 0;  ///< of a tile; 0: all
    Index keys = 0;     ///< of a tile
    bool causal = false;
    /// Whether query t may not see key s under the causal option.
    bool (*future)(Index t, Index s, Index T, Index S) = nullptr;
    double root = 1;  ///< what scores were divided by
};

/// The numbers of a tensor that is handed over `tile` positions of an axis at a time, each part read by itself.
Array read_in_tiles(const Reading& reading, const Tensor& whole, Argument argument, Index axis, Index tile);

/// Which query has row t of the result in the end, where tiles have so many queries.
Index query_of_row(Index t, Index T, Index tile, const Tiling& choices);

/// What float32 can do to the shares of one query (a row of scores times `factor`), relative to each of them.
double relative_error_of_shares(const Array& scores, std::size_t row, double factor);

/// Softmax over the keys, tile by tile, and what it gathers.
/// @param scores  (B, H, T, S)   @param blocked  by the mask alone: one flag a score   @param v  (B, H, S, d_v)
/// @return (B, H, T, d_v); where 0 times a value that is not finite may or may not be added, nothing is predicted
Array tiled_context(const Array& scores, const std::vector<bool>& blocked, const Array& v, const Tiles& tiles,
                    const Tiling& choices);

}  // namespace headway::diagnosis
