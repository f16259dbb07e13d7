#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/choices.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/softmax.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

/// The largest of no scores at all.
constexpr double no_score = -std::numeric_limits<double>::infinity();

/// The running softmax of one query: each value's share in what was gathered, and the total.
struct Running {
    double largest;
    double total = 0;
    std::vector<double> share;
    bool has_tile = false;

    Running(const Tiling& choices, std::size_t S) : largest(choices.start), share(S) {}

    /// Without a score to compare with, sums go on as if they had been compared with 0, and the next score counts as
    /// the first.
    void forget() {
        const double shrink = largest == no_score ? 0 : in_range_of_float(std::exp(largest));
        total = in_range_of_float(total * shrink);
        for (double& one : share) one = in_range_of_float(one * shrink);
        largest = no_score;
    }

    /// Scores of some keys, and how many more there are that have no value.
    void take(const std::vector<double>& scores, const std::vector<std::size_t>& keys, std::size_t more,
              const Tiling& choices);

    /// What one tile alone gives, added to the others' contexts.
    void add_context_of(const Running& tile) {
        for (std::size_t s = 0; s < share.size(); ++s)
            if (tile.total != 0) share[s] += tile.share[s] / tile.total;
        total += 1;  // the context is divided by the number of tiles
    }
};

void Running::take(const std::vector<double>& scores, const std::vector<std::size_t>& keys, std::size_t more,
                   const Tiling& choices) {
    using Shrinks = Tiling::Shrinks;
    double top = more > 0 ? 0 : no_score;
    for (const std::size_t s : keys) top = std::max(top, scores[s]);
    double now = std::max(largest, top);
    if (choices.largest == Tiling::Largest::of_this_tile && top != no_score) now = top;
    if (choices.largest == Tiling::Largest::of_this_tile_even_if_blocked) {
        if (top == no_score && has_tile) return forget();
        now = top;
    }
    if (choices.largest == Tiling::Largest::of_the_first_tile && has_tile) now = largest;
    if (top == no_score && choices.empty_tile_forgets) {
        largest = no_score;
        total = 0;
        std::fill(share.begin(), share.end(), 0);
        return;
    }
    if (now == no_score) {
        if (choices.empty_tile_is_zero) largest = 0;
        if (!choices.empty_tile_is_nan) return;
        total = largest = std::nan("");
        std::fill(share.begin(), share.end(), total);
        return;
    }
    has_tile = true;
    const double change = choices.shrinks_inverted ? now - largest : largest - now;
    const double power = choices.shrinks_by_two ? std::exp2(change) : std::exp(change);
    const double shrink = largest == no_score ? 0 : in_range_of_float(power);
    // What is still 0 may be multiplied by anything but infinity.
    if (choices.shrinks == Shrinks::both || choices.shrinks == Shrinks::total)
        total = in_range_of_float(total * shrink);
    if (choices.shrinks == Shrinks::both || choices.shrinks == Shrinks::gathered)
        for (double& one : share)
            one = in_range_of_float(choices.gathered_shrinks_twice ? one * shrink * shrink : one * shrink);
    for (const std::size_t s : keys) {
        const double above = scores[s] - now;
        const double raised = in_range_of_float(choices.raises_by_two ? std::exp2(above) : std::exp(above));
        total = in_range_of_float(total + raised);
        share[s] = in_range_of_float(share[s] + raised);
    }
    if (more > 0) total += static_cast<double>(more) * in_range_of_float(std::exp(-now));
    if (choices.divided_after_tiles)
        for (double& one : share) one /= total;
    if (choices.largest != Tiling::Largest::never_stored) largest = now;
}

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
    std::vector<Computed> run(const Query& query, Running& running) const {
        const Index S = choices_.keys_end_at_T ? std::min(query.S, query.T) : query.S;
        const Index width = std::min(tiles_.keys, S);
        std::vector<double> seen(static_cast<std::size_t>(query.S));
        std::vector<Computed> computed(static_cast<std::size_t>(query.S), Computed::no);
        for (Index begin = 0; begin < S; begin += tiles_.keys) {
            const Index too_late = choices_.edge == Tiling::Edge::one_too_late ? 1 : 0;
            const Index end = std::min(begin + tiles_.keys + too_late, S);
            if (choices_.edge == Tiling::Edge::dropped && begin + width > S) break;
            const Index first =
                choices_.edge == Tiling::Edge::moved_back ? std::max(end - tiles_.keys, Index{0}) : begin;
            const bool future = is_future(query, first);
            if (is_skipped(query, first)) continue;
            // Who takes one query at a time passes over a tile that is all in its future; who takes several does not.
            if ((choices_.divided_after_tiles || missing_keys(begin, end) > 0) && is_hidden(query, begin, begin))
                throw Unpredictable{};
            std::vector<std::size_t> keys;
            for (Index s = first; s < end; ++s) {
                const auto key = static_cast<std::size_t>(s);
                seen[key] = score(query, s, begin);
                computed[key] = future ? Computed::in_the_future : Computed::yes;
                keys.push_back(key);
            }
            if (choices_.mean_of_tiles) {
                Running alone(choices_, static_cast<std::size_t>(query.S));
                take(seen, keys, 0, alone);
                running.add_context_of(alone);
            } else {
                take(seen, keys, missing_keys(begin, end), running);
            }
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

    void take(const std::vector<double>& seen, const std::vector<std::size_t>& keys, std::size_t more,
              Running& running) const {
        if (!choices_.key_by_key) return running.take(seen, keys, more, choices_);
        for (const std::size_t s : keys)
            if (seen[s] != no_score) running.take(seen, {s}, 0, choices_);
    }

    /// Whether no query of the tile sees a key of the tile that begins there.
    bool is_future(const Query& query, Index begin) const {
        return tiles_.causal && tiles_.future(query.end - 1, begin, query.T, query.S);
    }

    bool is_skipped(const Query& query, Index begin) const {
        using Skipped = Tiling::Skipped;
        if (!tiles_.causal || choices_.skipped == Skipped::none) return false;
        if (choices_.skipped == Skipped::behind_the_first_query)
            return tiles_.future(query.begin, begin, query.T, query.S);
        return is_future(query, choices_.skipped == Skipped::at_the_last_query ? begin + 1 : begin);
    }

    bool is_hidden(const Query& query, Index s, Index begin) const {
        if (!tiles_.causal) return false;
        switch (choices_.causality) {
            case Tiling::Causality::by_position:
                return tiles_.future(query.t, s, query.T, query.S);
            case Tiling::Causality::by_place_in_tile:
                return s - begin > query.t - query.begin;
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
        const double root = choices_.first_tile_scaled_alone && begin > 0 ? tiles_.root : 1;
        return blocked ? choices_.blocked_score : root * scores_.value[first + static_cast<std::size_t>(compared)];
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
void gather(const Running& running, const std::vector<Computed>& computed, double relative, const Array& v,
            const Tiling& choices, std::size_t matrix, double* context, double* error) {
    const auto S = static_cast<std::size_t>(v.size(-2)), d_v = static_cast<std::size_t>(v.size(-1));
    if (running.total == 0) {
        std::fill(context, context + d_v, choices.empty_total_is_nan ? std::nan("") : 0.0);
        return;
    }
    const double divisor = choices.divided ? running.total : 1;
    for (std::size_t i = 0; i < d_v; ++i) {
        double magnitude = 0;
        bool open = false;
        for (std::size_t s = 0; s < S; ++s) {
            if (computed[s] == Computed::no) continue;
            const double value = v.value[(matrix * S + s) * d_v + i];
            const double weight = running.share[s] / divisor;
            // Some add 0 times NaN, others pass over keys that have no share.
            if (weight == 0 && !std::isfinite(value) && computed[s] == Computed::yes) {
                open = true;
                continue;
            }
            context[i] += weight * value;
            magnitude += std::abs(weight * value);
            error[i] += std::abs(weight) * v.error[(matrix * S + s) * d_v + i];
        }
        error[i] = open ? anything
                        : error[i] + (2 * relative + static_cast<double>(S + 4) * reference::unit_roundoff) * magnitude;
    }
}

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
    std::vector<Running> left;  // by the queries of this matrix so far
    for (std::size_t row = 0; row < scores.value.size() / static_cast<std::size_t>(S); ++row) {
        const Index t = static_cast<Index>(row) % T;
        if (t == 0) left.clear();
        const Index begin = t / tile * tile;
        const Query query{t, T, S, begin, std::min(begin + tile, T), row};
        Running running(choices, static_cast<std::size_t>(S));
        if (choices.state_goes_on && begin > 0 && query.end - begin == tile)
            running = left[static_cast<std::size_t>(t - tile)];
        const auto computed = cut.run(query, running);
        left.push_back(running);
        if (choices.last_queries_dropped && begin + std::min(tile, T) > T) continue;
        if (choices.short_tiles_dropped && begin + tile > T) continue;
        const std::size_t first = row * static_cast<std::size_t>(d_v);
        gather(running, computed, relative_error(scores, row, S, choices.first_tile_scaled_alone ? tiles.root : 1), v,
               choices, row / static_cast<std::size_t>(T), &context.value[first], &context.error[first]);
    }
    return context;
}

}  // namespace headway::diagnosis
