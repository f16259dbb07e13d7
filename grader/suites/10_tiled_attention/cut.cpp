#include "suites/10_tiled_attention/cut.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

/// Whether no query of the tile sees a key of the tile that begins there, if all see what they should.
bool is_due_future(const Query& query, Index begin) { return begin > query.end - 1 + query.S - query.T; }

}  // namespace

std::vector<TileOfKeys> Cut::tiles_of(const Query& query) const {
    const Index S = choices_.keys_end_at_T ? std::min(query.S, query.T) : query.S;
    const Index width = std::min(tiles_.keys, S);
    const Index too_late = choices_.edge == Tiling::Edge::one_too_late ? 1 : 0;
    std::vector<TileOfKeys> all;
    for (Index begin = 0; begin < S; begin += tiles_.keys) {
        const bool is_longer = choices_.edge == Tiling::Edge::last_of_a_longer_tile_dropped && tiles_.keys > S && S > 1;
        const Index end = is_longer ? S - 1 : std::min(begin + tiles_.keys + too_late, S);
        if (choices_.edge == Tiling::Edge::dropped && begin + width > S) break;
        if (choices_.edge == Tiling::Edge::dropped_even_alone && begin + tiles_.keys > S) break;
        const Index visible = tiles_.causal ? std::min(query.end + S - query.T, S) : S;
        if (choices_.edge == Tiling::Edge::dropped_of_visible && begin + width > visible) break;
        const Index first = choices_.edge == Tiling::Edge::moved_back ? std::max(end - tiles_.keys, Index{0}) : begin;
        const bool skipped = is_skipped(query, first, end) || is_taken_for_blocked(query, first, end) ||
                             is_blocked_for_first(query, first, end);
        all.push_back({begin, first, end, skipped, is_future(query, first), is_due_future(query, first)});
    }
    return all;
}

double Cut::score(const Query& query, Index s, Index begin) const {
    const auto first = query.row * static_cast<std::size_t>(query.S);
    const Index rows_before = choices_.mask_of_first_queries ? query.begin : 0;
    const auto masked_first = first - static_cast<std::size_t>(rows_before * query.S);
    const Index masked_as = choices_.mask_of_first_tile ? s - begin : s;
    const bool blocked = blocked_[masked_first + static_cast<std::size_t>(masked_as)] || is_hidden(query, s, begin);
    const Index compared = choices_.keys_of_first_tile ? s - begin : s;
    const Index asked_before = choices_.queries_of_first_tile ? query.begin : 0;
    const double root = choices_.first_tile_scaled_alone && begin > 0 ? tiles_.root : 1;
    const std::size_t at = first - static_cast<std::size_t>(asked_before * query.S);
    return blocked ? choices_.blocked_score : root * scores_.value[at + static_cast<std::size_t>(compared)];
}

double Cut::unmasked(const Query& query, Index s) const {
    return scores_.value[query.row * static_cast<std::size_t>(query.S) + static_cast<std::size_t>(s)];
}

std::size_t Cut::missing_keys(const TileOfKeys& tile) const {
    const bool filled = choices_.edge == Tiling::Edge::zero_scores ||
                        (choices_.edge == Tiling::Edge::zero_scores_beside_whole_tiles && tile.begin > 0);
    return filled ? static_cast<std::size_t>(tiles_.keys - (tile.end - tile.begin)) : 0;
}

bool Cut::is_hidden(const Query& query, Index s, Index begin) const {
    if (!tiles_.causal) return false;
    switch (choices_.causality) {
        case Tiling::Causality::by_position:
            return tiles_.future(query.t, s, query.T, query.S);
        case Tiling::Causality::by_place_in_tile:
            return s - begin > query.t - query.begin;
        case Tiling::Causality::by_place_in_tile_and_offset:
            return tiles_.future(query.t - query.begin, s - begin, query.T, query.S);
        case Tiling::Causality::keys_by_place_in_tile:
            return tiles_.future(query.t, s - begin, query.T, query.S);
        case Tiling::Causality::queries_by_place_in_tile:
            return tiles_.future(query.t - query.begin, s, query.T, query.S);
        case Tiling::Causality::whole_tiles:
            return is_future(query, begin);
        case Tiling::Causality::tiles_at_the_same_place:
            return begin == query.begin && tiles_.future(query.t, s, query.T, query.S);
        case Tiling::Causality::up_to_the_last_query:
            return tiles_.future(query.end - 1, s, query.T, query.S);
        case Tiling::Causality::up_to_the_first_query:
            return tiles_.future(query.begin, s, query.T, query.S);
        case Tiling::Causality::blind_queries_up_to_the_last_query: {
            const Index offset = query.S - query.T;
            const Index end = query.t + offset >= 0 ? query.t + offset + 1 : query.end + offset;
            return end >= 0 && s >= end;
        }
    }
    return false;
}

bool Cut::is_in_reach(const Query& query, Index s) const {
    const Index queries = tiles_.queries > 0 ? tiles_.queries : query.T;
    return s < query.t + query.S - query.T + queries + tiles_.keys - 1;
}

/// Whether no query of the tile sees a key of the tile that begins there.
bool Cut::is_future(const Query& query, Index begin) const {
    return tiles_.causal && tiles_.future(query.end - 1, begin, query.T, query.S);
}

bool Cut::is_skipped(const Query& query, Index begin, Index end) const {
    if (!tiles_.causal) return false;
    switch (choices_.skipped) {
        case Tiling::Skipped::behind_the_last_query:
            return is_future(query, begin);
        case Tiling::Skipped::at_the_last_query:
            return is_future(query, begin + 1);
        case Tiling::Skipped::behind_the_first_query:
            return tiles_.future(query.begin, begin, query.T, query.S);
        case Tiling::Skipped::reaching_behind_the_last_query:
            return is_future(query, end - 1);
        case Tiling::Skipped::by_position:
            return is_due_future(query, begin);
        case Tiling::Skipped::by_position_without_offset:
            return begin > query.end - 1;
        case Tiling::Skipped::by_each_query:
            return tiles_.future(query.t, begin, query.T, query.S);
        case Tiling::Skipped::none:
            return false;
    }
    return false;
}

/// Whether the mask blocks the corners of the tile for every sequence and head.
bool Cut::is_taken_for_blocked(const Query& query, Index first, Index end) const {
    if (!choices_.blocked_by_corners) return false;
    const auto T = static_cast<std::size_t>(query.T), S = static_cast<std::size_t>(query.S);
    for (std::size_t matrix = 0; matrix < blocked_.size() / (T * S); ++matrix)
        for (const Index t : {query.begin, query.end - 1})
            for (const Index s : {first, end - 1})
                if (!blocked_[(matrix * T + static_cast<std::size_t>(t)) * S + static_cast<std::size_t>(s)])
                    return false;
    return true;
}

/// Whether the mask blocks all of the tile for the first of its queries, in this head.
bool Cut::is_blocked_for_first(const Query& query, Index first, Index end) const {
    if (!choices_.blocked_by_first_query) return false;
    const std::size_t row = query.row - static_cast<std::size_t>(query.t - query.begin);
    for (Index s = first; s < end; ++s)
        if (!blocked_[row * static_cast<std::size_t>(query.S) + static_cast<std::size_t>(s)]) return false;
    return true;
}

}  // namespace headway::diagnosis
