#include "suites/10_tiled_attention/tiling.hpp"

#include "suites/10_tiled_attention/cut.hpp"
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

bool sees_nothing(const std::vector<RowSums::Seen>& keys) {
    return std::ranges::all_of(keys, [](const RowSums::Seen& key) { return key.score == RowSums::no_score; });
}

/// Takes the scores of each query in, tile by tile.
class Pass {
public:
    Pass(const Cut& cut, const Tiling& choices) : cut_(cut), choices_(choices) {}

    /// Runs over the tiles of keys. @return which keys were computed: in a tile that the query sees part of, or not
    std::vector<Computed> run(const Query& query, RowSums& sums) const {
        std::vector<Computed> computed(static_cast<std::size_t>(query.S), Computed::no);
        for (const TileOfKeys& tile : cut_.tiles_of(query)) {
            // What is blocked as a whole, though right programs compute it, may be computed or not.
            const bool passed_over = tile.skipped && (!tile.future || tile.due);
            for (Index s = tile.first; s < tile.end; ++s)
                if (!passed_over || cut_.is_in_reach(query, s))
                    computed[static_cast<std::size_t>(s)] =
                        !passed_over && tile.future && tile.due ? Computed::in_the_future : Computed::yes;
            if (tile.skipped) continue;
            const std::size_t missing = cut_.missing_keys(tile);
            // Who takes one query at a time passes over a tile that is all in its future; who takes several, and so
            // fills up what is missing for all of them at once, does not.
            if (choices_.divided_after_tiles && cut_.is_hidden(query, tile.begin, tile.begin)) throw Unpredictable{};
            std::vector<RowSums::Seen> keys;
            for (Index s = tile.first; s < tile.end; ++s)
                keys.push_back({static_cast<std::size_t>(choices_.values_of_first_tile ? s - tile.begin : s),
                                cut_.score(query, s, tile.begin)});
            if (choices_.ends_at_a_blocked_row && stands_behind_a_blocked_row(query, tile)) continue;
            sums.first_row_is_empty = choices_.empty_by_the_first_row && sees_nothing_up_to(first_row_of(query), tile);
            if (choices_.mean_of_tiles) {
                RowSums alone(choices_);
                alone.turn_to(sums.shares.back().matrix, static_cast<std::size_t>(query.S));
                take(keys, 0, alone, RowSums::no_score);
                sums.add_context_of(alone);
            } else {
                take(keys, missing, sums, largest_of_tile(query, tile));
            }
            if (choices_.ends_at_a_blocked_tile && sees_nothing(keys)) break;
        }
        return computed;
    }

private:
    void take(const std::vector<RowSums::Seen>& keys, std::size_t more, RowSums& sums, double beside) const {
        if (!choices_.key_by_key) return sums.take(keys, more, choices_, beside);
        for (const RowSums::Seen& key : keys)
            if (key.score != RowSums::no_score) sums.take({key}, 0, choices_);
    }

    bool sees_nothing_of(const Query& query, const TileOfKeys& tile) const {
        for (Index s = tile.first; s < tile.end; ++s)
            if (cut_.score(query, s, tile.begin) != RowSums::no_score) return false;
        return true;
    }

    bool sees_nothing_up_to(const Query& query, const TileOfKeys& last) const {
        for (const TileOfKeys& tile : cut_.tiles_of(query))
            if (tile.begin <= last.begin && !tile.skipped && !sees_nothing_of(query, tile)) return false;
        return true;
    }

    /// Of the tile of queries, in the same head.
    static Query first_row_of(Query query) {
        query.row -= static_cast<std::size_t>(query.t - query.begin);
        query.t = query.begin;
        return query;
    }

    /// Whether some row before it, in the order of sequences, heads and queries, sees nothing of the tile.
    bool stands_behind_a_blocked_row(const Query& query, const TileOfKeys& tile) const {
        const std::size_t T = static_cast<std::size_t>(query.T), own = query.row / T;
        Query other = query;
        for (std::size_t matrix = 0; matrix <= own; ++matrix)
            for (other.t = query.begin; other.t < (matrix < own ? query.end : query.t); ++other.t) {
                other.row = matrix * T + static_cast<std::size_t>(other.t);
                if (sees_nothing_of(other, tile)) return true;
            }
        return false;
    }

    /// Of what the mask blocks too, or of all queries of the tile, where they are compared with one number.
    double largest_of_tile(const Query& query, const TileOfKeys& tile) const {
        double largest = RowSums::no_score;
        if (choices_.largest == Tiling::Largest::of_blocked_too)
            for (Index s = tile.first; s < tile.end; ++s) largest = std::max(largest, cut_.unmasked(query, s));
        if (choices_.largest != Tiling::Largest::of_all_queries) return largest;
        Query other = query;
        for (other.t = query.begin; other.t < query.end; ++other.t) {
            other.row = query.row - static_cast<std::size_t>(query.t) + static_cast<std::size_t>(other.t);
            for (Index s = tile.first; s < tile.end; ++s) largest = std::max(largest, cut_.score(other, s, tile.begin));
        }
        return largest;
    }

    const Cut& cut_;
    const Tiling& choices_;
};

}  // namespace

double relative_error_of_shares(const Array& scores, std::size_t row, double factor) {
    const Index S = scores.size(-1);
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

namespace {

/// The context of one query.
void gather(const RowSums& sums, const std::vector<Computed>& computed, const Array& v, const Tiling& choices,
            double* context, double* error) {
    const auto S = static_cast<std::size_t>(v.size(-2)), d_v = static_cast<std::size_t>(v.size(-1));
    if (sums.vanishes || sums.is_uncertain) return std::fill(error, error + d_v, anything);
    if (sums.total == 0) {
        std::fill(context, context + d_v, choices.empty_total_is_nan ? std::nan("") : 0.0);
        // A total that was lost: some give 0, others what was gathered.
        const bool is_lost = std::ranges::any_of(sums.shares, [](const RowSums::Shares& head) {
            return std::ranges::any_of(head.of, [](double share) { return share != 0; });
        });
        if (is_lost && !choices.empty_total_is_nan) std::fill(error, error + d_v, anything);
        return;
    }
    const double divisor = choices.divided ? std::max(sums.total, choices.total_at_least) : 1;
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

/// The queries whose sums are in the state of this one: those at its place in the tiles that share it.
std::vector<Query> in_one_state(const Query& query, Index tile, Tiling::Shared shared) {
    const auto is_apart = [&](Index begin) {
        if (shared == Tiling::Shared::none) return true;
        return shared == Tiling::Shared::whole_ones ? begin + tile > query.T : begin + tile >= query.T;
    };
    if (is_apart(query.begin)) return {query};
    std::vector<Query> all;
    for (Index begin = 0; !is_apart(begin); begin += tile) {
        const Index t = begin + query.t - query.begin;
        const auto row = static_cast<std::size_t>(static_cast<Index>(query.row) - query.t + t);
        all.push_back({t, query.T, query.S, begin, begin + tile, row});
    }
    return all;
}

}  // namespace

const Tiling& Tiling::right() {
    static const Tiling defaults;
    return defaults;
}

namespace {

/// How many times a score stands in the exponent of a share, or more.
double factor_of_exponents(const Tiles& tiles, Index S, const Tiling& choices) {
    if (choices.shrinks_for_each_key) return static_cast<double>(std::max(Index{1}, std::min(tiles.keys, S)));
    return choices.first_tile_scaled_alone ? tiles.root : 1;
}

}  // namespace

Index query_of_row(Index t, Index T, Index tile, const Tiling& choices) {
    return choices.rows_written_first && t < tile ? t + (T - 1 - t) / tile * tile : t;
}

Array tiled_context(const Array& scores, const std::vector<bool>& blocked, const Array& v, const Tiles& tiles,
                    const Tiling& choices) {
    const Index T = scores.size(-2), S = scores.size(-1), d_v = v.size(-1);
    Array context = zeros({scores.size(0), scores.size(1), T, d_v});
    const Index tile = tiles.queries > 0 ? tiles.queries : T;
    const Cut cut(scores, blocked, tiles, choices);
    const Pass pass(cut, choices);
    Left left(choices, scores.size(1), tile);
    for (std::size_t row = 0; row < scores.value.size() / static_cast<std::size_t>(S); ++row) {
        const Index t = static_cast<Index>(row) % T;
        const Index begin = t / tile * tile;
        const Query query{t, T, S, begin, std::min(begin + tile, T), row};
        RowSums& sums = left.of(query);
        std::vector<Computed> computed(static_cast<std::size_t>(S), Computed::no);
        for (const Query& one : in_one_state(query, tile, choices.shared)) {
            sums.relative_error += relative_error_of_shares(scores, one.row, factor_of_exponents(tiles, S, choices));
            const auto seen = pass.run(one, sums);
            std::ranges::transform(computed, seen, computed.begin(), [](auto a, auto b) { return std::max(a, b); });
        }
        if (choices.last_queries_dropped && begin + std::min(tile, T) > T) continue;
        if (choices.short_tiles_dropped && begin + tile > T) continue;
        if (query_of_row(choices.rows_written_first ? t - begin : t, T, tile, choices) != t) continue;
        const std::size_t place = choices.rows_written_first ? row - static_cast<std::size_t>(begin) : row;
        const std::size_t first = place * static_cast<std::size_t>(d_v);
        gather(sums, computed, v, choices, &context.value[first], &context.error[first]);
    }
    return context;
}

Array read_in_tiles(const Reading& reading, const Tensor& whole, Argument argument, Index axis, Index tile) {
    Tensor all = whole.clone().contiguous();
    for (Index begin = 0; begin < whole.size(axis); begin += tile) {
        const Index end = std::min(begin + tile, whole.size(axis));
        const Array part = reading.tensor(whole.slice(axis, begin, end), argument);
        all.slice(axis, begin, end).copy_from(reference::to_tensor(part));
    }
    return reference::exact(all);
}

}  // namespace headway::diagnosis
