#pragma once

#include "suites/10_tiled_attention/tiling.hpp"

#include <vector>

namespace headway::diagnosis {

/// One query among all: what it may see, tile by tile.
struct Query {
    Index t, T, S;
    Index begin, end;  ///< of its tile
    std::size_t row;   ///< of the scores
};

/// A tile of keys that a tile of queries is compared with.
struct TileOfKeys {
    Index begin;  ///< where it should begin
    Index first;  ///< where it begins
    Index end;
    bool skipped;  ///< nothing of it is taken in
    bool future;   ///< no query of its tile sees a key of it, as is decided
    bool due;      ///< the same as it should be
};

/// How scores are cut into tiles, and what of them is seen.
class Cut {
public:
    /// All of these are to outlive it.
    Cut(const Array& scores, const std::vector<bool>& blocked, const Tiles& tiles, const Tiling& choices)
        : scores_(scores), blocked_(blocked), tiles_(tiles), choices_(choices) {}

    /// Those of the tile of queries that this one is in, in order.
    std::vector<TileOfKeys> tiles_of(const Query& query) const;

    /// What key s of the tile that should begin there counts for.
    double score(const Query& query, Index s, Index begin) const;

    /// The same before the mask.
    double unmasked(const Query& query, Index s) const;

    /// How many keys that do not exist a tile is filled up with.
    std::size_t missing_keys(const TileOfKeys& tile) const;

    /// Whether the causal option hides key s of the tile that should begin there.
    bool is_hidden(const Query& query, Index s, Index begin) const;

    /// Whether the query shares a tile with a query that sees a key of that key's tile, wherever tiles begin: some cut
    /// them from the end.
    bool is_in_reach(const Query& query, Index s) const;

private:
    bool is_future(const Query& query, Index begin) const;
    bool is_skipped(const Query& query, Index begin, Index end) const;
    bool is_taken_for_blocked(const Query& query, Index first, Index end) const;
    bool is_blocked_for_first(const Query& query, Index first, Index end) const;

    const Array& scores_;
    const std::vector<bool>& blocked_;
    const Tiles& tiles_;
    const Tiling& choices_;
};

}  // namespace headway::diagnosis
