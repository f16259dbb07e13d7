#include "suites/10_tiled_attention/tiling.hpp"

#include "suites/10_tiled_attention/row_sums.hpp"

#include "diagnosis/choices.hpp"
#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

/// Whether a tile was computed at all, and whether the query's tile sees part of it.
enum class Computed { no, yes, in_the_future };

/// One query among all: what it may see, tile by tile.
struct Query {
    Index t, T, S;
    Index begin, end;  ///< of its tile
    std::size_t row;   ///< of the scores
};

/// Which keys are computed for a query, in which tiles, and what it may see of them.
class Cut {
public:
    Cut(const Array& scores, const std::vector<bool>& blocked, const Tiles& tiles, const Tiling& choices)
        : scores_(scores), blocked_(blocked), tiles_(tiles), choices_(choices) {}

    /// Runs over the tiles of keys. @return which keys were computed: in a tile that the query sees part of, or not
    std::vector<Computed> run(const Query& query, RowSums& sums) const {
        const Index S = choices_.keys_end_at_T ? std::min(query.S, query.T) : query.S;
        const Index width = std::min(tiles_.keys, S);
        std::vector<Computed> computed(static_cast<std::size_t>(query.S), Computed::no);
        for (Index begin = 0; begin < S; begin += tiles_.keys) {
            const Index too_late = choices_.edge == Tiling::Edge::one_too_late ? 1 : 0;
            const Index end = std::min(begin + tiles_.keys + too_late, S);
            if (choices_.edge == Tiling::Edge::dropped && begin + width > S) break;
            const Index first =
                choices_.edge == Tiling::Edge::moved_back ? std::max(end - tiles_.keys, Index{0}) : begin;
            const bool future = is_future(query, first), due = is_due_future(query, first);
            const bool skipped = is_skipped(query, first, end) || is_taken_for_blocked(query, first, end);
            // What is blocked as a whole, though right programs compute it, may be computed or not.
            const bool passed_over = skipped && (!future || due);
            for (Index s = first; s < end; ++s)
                if (!passed_over || is_in_reach(query, s))
                    computed[static_cast<std::size_t>(s)] =
                        !passed_over && future && due ? Computed::in_the_future : Computed::yes;
            if (skipped) continue;
            // Who takes one query at a time passes over a tile that is all in its future; who takes several does not.
            if ((choices_.divided_after_tiles || missing_keys(begin, end) > 0) && is_hidden(query, begin, begin))
                throw Unpredictable{};
            std::vector<RowSums::Seen> keys;
            for (Index s = first; s < end; ++s)
                keys.push_back(
                    {static_cast<std::size_t>(choices_.values_of_first_tile ? s - begin : s), score(query, s, begin)});
            if (choices_.mean_of_tiles) {
                RowSums alone(choices_);
                alone.turn_to(sums.shares.back().matrix, static_cast<std::size_t>(query.S));
                take(keys, 0, alone, RowSums::no_score);
                sums.add_context_of(alone);
            } else {
                take(keys, missing_keys(begin, end), sums, largest_of_tile(query, first, end, begin));
            }
            if (choices_.ends_at_a_blocked_tile && sees_nothing(keys)) break;
        }
        return computed;
    }

private:
    /// How many keys that do not exist a tile is filled up with.
    std::size_t missing_keys(Index begin, Index end) const {
        const bool filled = choices_.edge == Tiling::Edge::zero_scores ||
                            (choices_.edge == Tiling::Edge::zero_scores_beside_whole_tiles && begin > 0);
        return filled ? static_cast<std::size_t>(tiles_.keys - (end - begin)) : 0;
    }

    void take(const std::vector<RowSums::Seen>& keys, std::size_t more, RowSums& sums, double beside) const {
        if (!choices_.key_by_key) return sums.take(keys, more, choices_, beside);
        for (const RowSums::Seen& key : keys)
            if (key.score != RowSums::no_score) sums.take({key}, 0, choices_);
    }

    static bool sees_nothing(const std::vector<RowSums::Seen>& keys) {
        return std::ranges::all_of(keys, [](const RowSums::Seen& key) { return key.score == RowSums::no_score; });
    }

    /// Of all queries of the tile, where they are compared with one number.
    double largest_of_tile(const Query& query, Index first, Index end, Index begin) const {
        double largest = RowSums::no_score;
        if (choices_.largest != Tiling::Largest::of_all_queries) return largest;
        Query other = query;
        for (other.t = query.begin; other.t < query.end; ++other.t) {
            other.row = query.row - static_cast<std::size_t>(query.t) + static_cast<std::size_t>(other.t);
            for (Index s = first; s < end; ++s) largest = std::max(largest, score(other, s, begin));
        }
        return largest;
    }

    /// Whether the mask blocks the corners of the tile for every sequence and head.
    bool is_taken_for_blocked(const Query& query, Index first, Index end) const {
        if (!choices_.blocked_by_corners) return false;
        const auto T = static_cast<std::size_t>(query.T), S = static_cast<std::size_t>(query.S);
        for (std::size_t matrix = 0; matrix < blocked_.size() / (T * S); ++matrix)
            for (const Index t : {query.begin, query.end - 1})
                for (const Index s : {first, end - 1})
                    if (!blocked_[(matrix * T + static_cast<std::size_t>(t)) * S + static_cast<std::size_t>(s)])
                        return false;
        return true;
    }

    /// Whether no query of the tile sees a key of the tile that begins there.
    bool is_future(const Query& query, Index begin) const {
        return tiles_.causal && tiles_.future(query.end - 1, begin, query.T, query.S);
    }

    /// The same for queries that see what they should.
    static bool is_due_future(const Query& query, Index begin) { return begin > query.end - 1 + query.S - query.T; }

    /// Whether the query shares a tile with a query that sees a key of that key's tile, wherever tiles begin: some cut
    /// them from the end.
    bool is_in_reach(const Query& query, Index s) const {
        const Index queries = tiles_.queries > 0 ? tiles_.queries : query.T;
        return s < query.t + query.S - query.T + queries + tiles_.keys - 1;
    }

    bool is_skipped(const Query& query, Index begin, Index end) const {
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
            case Tiling::Skipped::none:
                return false;
        }
        return false;
    }

    bool is_hidden(const Query& query, Index s, Index begin) const {
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
        }
        return false;
    }

    double score(const Query& query, Index s, Index begin) const {
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

    const Array& scores_;
    const std::vector<bool>& blocked_;
    const Tiles& tiles_;
    const Tiling& choices_;
};

/// What float32 can do to the shares of one query, relative to each of them.
double relative_error(const Array& scores, std::size_t row, Index S, double factor) {
    double epsilon = 0;
    double largest = 0;
    for (std::size_t i = row * static_cast<std::size_t>(S); i < (row + 1) * static_cast<std::size_t>(S); ++i) {
        if (!std::isfinite(scores.value[i])) continue;
        epsilon = std::max(epsilon, scores.error[i]);
        largest = std::max(largest, std::abs(scores.value[i]));
    }
    epsilon *= factor;
    largest *= factor;
    // A row's largest score moves up by no more than the range of its scores; each step rounds an exponent.
    epsilon += 6 * reference::unit_roundoff * largest;
    return std::expm1(2 * epsilon) + static_cast<double>(4 * S + 8) * reference::unit_roundoff;
}

/// The context of one query.
void gather(const RowSums& sums, const std::vector<Computed>& computed, const Array& v, const Tiling& choices,
            double* context, double* error) {
    const auto S = static_cast<std::size_t>(v.size(-2)), d_v = static_cast<std::size_t>(v.size(-1));
    if (sums.vanishes) return std::fill(error, error + d_v, anything);
    if (sums.total == 0) {
        std::fill(context, context + d_v, choices.empty_total_is_nan ? std::nan("") : 0.0);
        // A total that was lost: some give 0, others what was gathered.
        const bool is_lost = std::ranges::any_of(sums.shares, [](const RowSums::Shares& head) {
            return std::ranges::any_of(head.of, [](double share) { return share != 0; });
        });
        if (is_lost && !choices.empty_total_is_nan) std::fill(error, error + d_v, anything);
        return;
    }
    const double divisor = choices.divided ? sums.total : 1;
    const double rounded = 2 * sums.relative_error + static_cast<double>(S + 4) * reference::unit_roundoff;
    for (std::size_t i = 0; i < d_v; ++i) {
        double magnitude = 0;
        bool open = false;
        for (const RowSums::Shares& head : sums.shares)
            for (std::size_t s = 0; s < S; ++s) {
                const bool is_last = &head == &sums.shares.back();
                if (is_last && computed[s] == Computed::no && head.of[s] == 0) continue;
                const double value = v.value[(head.matrix * S + s) * d_v + i];
                const double weight = head.of[s] / divisor;
                // Some add 0 times NaN, others pass over keys that have no share.
                const bool in_the_future = is_last && computed[s] == Computed::in_the_future;
                if (weight == 0 && !std::isfinite(value) && !in_the_future) {
                    open = true;
                    continue;
                }
                context[i] += weight * value;
                magnitude += std::abs(weight * value);
                error[i] += std::abs(weight) * v.error[(head.matrix * S + s) * d_v + i];
            }
        // Divided by a total that is far too small, it may be too large for a float.
        open |= std::isfinite(context[i]) && magnitude > std::numeric_limits<float>::max();
        error[i] = open ? anything : error[i] + rounded * magnitude;
    }
}

/// The sums that a query begins with: new ones, or those that an earlier query left, where they are not begun anew.
class Left {
public:
    Left(const Tiling& choices, Index heads, Index tile) : choices_(choices), heads_(heads), tile_(tile) {}

    RowSums& of(const Query& query) {
        using Begun = Tiling::Begun;
        const std::size_t matrix = query.row / static_cast<std::size_t>(query.T);
        const bool new_head = query.t == 0, new_sequence = new_head && matrix % static_cast<std::size_t>(heads_) == 0;
        const bool is_whole = query.end - query.begin == tile_;
        const bool anew = choices_.begun == Begun::for_each_tile || query.row == 0 ||
                          (choices_.begun == Begun::unless_whole && (query.begin == 0 || !is_whole)) ||
                          (choices_.begun == Begun::for_each_head && new_head) ||
                          (choices_.begun == Begun::for_each_sequence && new_sequence);
        const std::size_t place = choices_.goes_on_query_by_query ? 0 : static_cast<std::size_t>(query.t - query.begin);
        // What begins anew does so for all queries of a tile.
        if (anew && place == 0) left_.clear();
        if (left_.size() <= place) left_.resize(place + 1, RowSums(choices_));
        if (choices_.begun == Begun::for_each_tile) left_[place] = RowSums(choices_);
        left_[place].turn_to(matrix, static_cast<std::size_t>(query.S));
        return left_[place];
    }

private:
    const Tiling& choices_;
    Index heads_, tile_;
    std::vector<RowSums> left_;  ///< by the place in the tile
};

}  // namespace

const Tiling& Tiling::right() {
    static const Tiling defaults;
    return defaults;
}

Array tiled_context(const Array& scores, const std::vector<bool>& blocked, const Array& v, const Tiles& tiles,
                    const Tiling& choices) {
    const Index T = scores.size(-2), S = scores.size(-1), d_v = v.size(-1);
    Array context = zeros({scores.size(0), scores.size(1), T, d_v});
    const Index tile = tiles.queries > 0 ? tiles.queries : T;
    const Cut cut(scores, blocked, tiles, choices);
    Left left(choices, scores.size(1), tile);
    for (std::size_t row = 0; row < scores.value.size() / static_cast<std::size_t>(S); ++row) {
        const Index t = static_cast<Index>(row) % T;
        const Index begin = t / tile * tile;
        const Query query{t, T, S, begin, std::min(begin + tile, T), row};
        RowSums& sums = left.of(query);
        sums.relative_error += relative_error(scores, row, S, choices.first_tile_scaled_alone ? tiles.root : 1);
        const auto computed = cut.run(query, sums);
        if (choices.last_queries_dropped && begin + std::min(tile, T) > T) continue;
        if (choices.short_tiles_dropped && begin + tile > T) continue;
        const std::size_t first = row * static_cast<std::size_t>(d_v);
        gather(sums, computed, v, choices, &context.value[first], &context.error[first]);
    }
    return context;
}

}  // namespace headway::diagnosis
