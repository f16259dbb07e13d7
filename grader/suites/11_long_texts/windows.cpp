#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/choices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headway::diagnosis {
namespace {

bool is_one_of(const Windows::Positions& positions, Index position) {
    return std::ranges::find(positions, position) != positions.end();
}

Windows right_windows() {
    Windows all{};
    all.in_window = [](const Windows::Pair& pair, Index w) { return pair.s <= pair.p() && pair.p() - pair.s < w; };
    all.opened_by = [](const Windows::Pair& pair, const Windows::Positions& globals) {
        return is_one_of(globals, pair.p()) || is_one_of(globals, pair.s);
    };
    all.sees = [](const Windows::Sight& sight) {
        return (sight.window || sight.global) && !sight.future && !sight.padding;
    };
    all.is_padding = [](const Mask& padding, Index b, Index s) { return padding(b, 0, 0, s); };
    all.is_way = [](double count) { return count > 0; };
    all.steps = [](Index layers) { return layers; };
    all.window_reach = [](Index w, Index layers) { return layers * (w - 1) + 1; };
    return all;
}

template <class Open>
Mask each_pair(const Windows& choices, Index T, Index S, Open open) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = open(Windows::Pair{t, s, T, S}) == choices.inverted;
    return mask;
}

/// The first key of all windows of a block of queries. Of so few queries, code that takes some together takes all.
Index block_begin(Index T, Index S, Index w) {
    constexpr Index least_block = 8;
    if (T > least_block) throw Unpredictable{};
    return std::max<Index>(0, S - T - w + 1);
}

/// Where the window of the first query of this one's block begins.
Index first_key_of_block(const Windows::Pair& pair, Index w, Index queries) {
    const Index first = pair.t / queries * queries;
    return std::max<Index>(0, first + pair.S - pair.T - w + 1);
}

/// How often a position is named, or is named behind another one.
Index times_named(const Windows& choices, const Windows::Positions& globals, Index position) {
    Index times = 0;
    for (std::size_t i = 0; i < globals.size(); ++i) {
        const bool goes_on = choices.neighbours_count_once && i > 0 && globals[i - 1] == globals[i];
        times += globals[i] == position && !goes_on ? 1 : 0;
    }
    return times;
}

/// Where padding is asked for key s.
Index looked_up(const Windows& choices, const Windows::Pair& pair, Index w, const Windows::Positions& globals) {
    using LookedUp = Windows::LookedUp;
    if (choices.looked_up == LookedUp::at_position || is_one_of(globals, pair.p())) return pair.s;
    const Index begin = choices.looked_up == LookedUp::among_keys_of_block ? block_begin(pair.T, pair.S, w)
                                                                           : std::max<Index>(0, pair.p() - w + 1);
    Index before = std::max<Index>(0, pair.s - begin);
    for (Index s = 0; s < std::min(begin, pair.s); ++s) before += is_one_of(globals, s) ? 1 : 0;
    return before;
}

/// What a query sees that is computed together with others, by its own window so far.
void see_together(const Windows& choices, const Windows::Pair& pair, Index w, Windows::Sight& sight) {
    const Windows::Together& together = choices.together;
    const Index count = together.of(w);
    if (!together.see_later_keys && !together.see_earlier_keys) return;
    if (count == 0 || (sight.query_is_global && !together.global_queries_too)) return;
    const Index first = pair.t / count * count, last = std::min(pair.T - first, count) + first - 1;
    const auto position = [&](Index t) { return t + pair.S - pair.T; };
    const Index end = together.see_later_keys ? position(last) : pair.p();
    const Index begin = (together.see_earlier_keys ? position(first) : pair.p()) - w + 1;
    sight.window = pair.s >= begin && pair.s <= end;
    sight.future = pair.s > end;
}

/// (B, 1, T, S) with the axes that somebody gives it.
Mask with_axes(const Windows& choices, const Mask& mask, bool padded) {
    using Axes = Windows::Axes;
    const Index B = mask.size(0), T = mask.size(2), S = mask.size(3);
    const bool four = choices.axes == Axes::always_four || (padded && choices.axes == Axes::as_asked);
    if (four) return mask;
    return padded ? mask.as_strided({B, T, S}, {T * S, S, 1}, 0) : mask.as_strided({T, S}, {S, 1}, 0);
}

/// Ways between S tokens: how many lead from column to row.
using Ways = std::vector<double>;

/// Who is reached by going on from `ways` by one of `steps`.
Ways joined(const Windows& choices, const Ways& ways, const Ways& steps, Index S) {
    Ways all(ways.size());
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) {
            double count = 0;
            for (Index u = 0; u < S; ++u)
                count += ways[static_cast<std::size_t>(t * S + u)] * steps[static_cast<std::size_t>(u * S + s)];
            const bool reached = choices.joined == Windows::Joined::any   ? count > 0
                                 : choices.joined == Windows::Joined::odd ? std::fmod(count, 2) == 1
                                                                          : count == 1;
            const auto at = static_cast<std::size_t>(t * S + s);
            all[at] = reached || (choices.keeps_nearer && ways[at] > 0) ? 1 : 0;
            if (choices.joined == Windows::Joined::counted) all[at] = count;
        }
    return all;
}

}  // namespace

const Windows& Windows::right() {
    static const Windows all = right_windows();
    return all;
}

Index Windows::Together::of(Index w) const {
    if (count > 0 || times == 0) return count;
    return std::max<Index>(1, w / parts * times + w % parts * times / parts);
}

Index Windows::copies(const Pair& pair, Index w, const Positions& globals) const {
    const bool every_key = is_one_of(globals, pair.p());
    const Index named = times_named(*this, globals, pair.s);
    if (counts_list == CountsList::before_block)
        return named <= 1 || every_key || pair.s >= block_begin(pair.T, pair.S, w) ? 1 : named;
    const Index of_list = counts_list == CountsList::before_windows ? named : std::min<Index>(named, 1);
    const bool by_block = counts_twice == CountsTwice::in_blocks;
    const bool is_held = by_block ? pair.s >= first_key_of_block(pair, w, together.of(w)) : in_window(pair, w);
    if (!every_key && !is_held) return std::max<Index>(of_list, 1);
    const bool in_global_rows = counts_twice == CountsTwice::in_every_row || (by_block && together.global_queries_too);
    const bool again = every_key ? in_global_rows : counts_twice != CountsTwice::nowhere;
    return 1 + (again ? of_list : 0);
}

Mask window_mask(const Windows& choices, Index T, Index S, Index w) {
    return each_pair(choices, T, S, [&](const Windows::Pair& pair) { return choices.in_window(pair, w); });
}

Mask global_mask(const Windows& choices, Index T, Index S, const Windows::Positions& positions) {
    return each_pair(choices, T, S, [&](const Windows::Pair& pair) { return choices.opened_by(pair, positions); });
}

Mask long_mask(const Windows& choices, Index T, Index S, Index w, const Windows::Positions& globals,
               const Mask& padding) {
    const Index B = padding.defined() ? padding.size(0) : 1;
    Mask mask = Mask::allow_all({B, 1, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            bool stopped = false;
            for (Index s = 0; s < S; ++s) {
                const Windows::Pair pair{t, s, T, S};
                const auto is_padding = [&](Index position) {
                    return padding.defined() && choices.is_padding(padding, b, position);
                };
                const Index asked = padding.defined() ? looked_up(choices, pair, w, globals) : s;
                Windows::Sight sight{.window = choices.in_window(pair, w),
                                     .global = choices.opened_by(pair, globals),
                                     .future = s > pair.p(),
                                     .padding = false,
                                     .query_is_padding = is_padding(pair.p()),
                                     .query_is_global = is_one_of(globals, pair.p()),
                                     .key_is_global = is_one_of(globals, s),
                                     .query_is_early = pair.p() < w};
                see_together(choices, pair, w, sight);
                const bool is_met = choices.sees(sight);
                sight.padding = is_padding(asked);
                stopped |= choices.stops_at_padding && is_met && sight.padding;
                const bool open = choices.sees(sight) && !stopped;
                mask(b, 0, t, s) = open == choices.inverted;
            }
        }
    return with_axes(choices, mask, padding.defined());
}

namespace {

Index open_in(const Ways& ways) {
    return std::ranges::count_if(ways, [](double count) { return count > 0; });
}

}  // namespace

Mask reach(const Windows& choices, const Mask& mask, Index layers) {
    const Index S = mask.size(0);
    Ways steps(static_cast<std::size_t>(S * S));
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s)
            steps[static_cast<std::size_t>(t * S + s)] =
                mask(choices.turned ? s : t, choices.turned ? t : s) == choices.squares_blocked ? 1 : 0;
    Ways ways = steps;
    if (choices.keeps_itself)
        for (Index t = 0; t < S; ++t) ways[static_cast<std::size_t>(t * S + t)] = 1;
    const Index count = choices.steps(layers);
    if (count == 0) {
        std::ranges::fill(ways, 0);
        for (Index t = 0; t < S; ++t) ways[static_cast<std::size_t>(t * S + t)] = 1;
    }
    for (Index step = 1; step < count; ++step) {
        const Index before = open_in(ways);
        ways = joined(choices, ways, choices.doubles ? ways : steps, S);
        if (choices.stops_at_as_many && open_in(ways) == before) break;
    }
    Mask reached = Mask::allow_all({S, S});
    for (Index i = 0; i < S * S; ++i)
        reached.data()[i] = choices.is_way(ways[static_cast<std::size_t>(i)]) == choices.squares_blocked;
    return reached;
}

}  // namespace headway::diagnosis
