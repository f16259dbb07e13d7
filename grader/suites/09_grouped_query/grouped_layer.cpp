#include "suites/09_grouped_query/grouped_layer.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

double cached_numbers(Index B, Index S, Index, Index H_kv, Index d) {
    return static_cast<double>(2 * B * S * H_kv * d);
}

Array mean_of_each_group(const Array& w, Index H, Index H_kv) {
    const Index d = w.size(1) / H, group = H / H_kv;
    Array pooled = zeros({w.size(0), H_kv * d});
    const auto share = 1 / static_cast<double>(group);
    each(w.shape, [&](Coordinate at, std::size_t i) {
        const Index to[] = {at[0], at[1] / d / group * d + at[1] % d};
        pooled.value[position(pooled.shape, to)] += share * w.value[i];
        pooled.error[position(pooled.shape, to)] +=
            share * (w.error[i] + static_cast<double>(group + 2) * reference::unit_roundoff * std::abs(w.value[i]));
    });
    return pooled;
}

}  // namespace

const GroupedLayer& GroupedLayer::right() {
    static const GroupedLayer all{&head_of_group, &cached_numbers, &mean_of_each_group};
    return all;
}

Array exchanged_tokens(const Array& copies, Index group, Grouping::RowOf token) {
    return gathered(copies, copies.shape, [&](Coordinate at) {
        const Index from[] = {at[0], at[1], token(at[1] % group, at[2], group, copies.size(2)), at[3]};
        return position(copies.shape, from);
    });
}

Array first_features(Array context, Index count) {
    each(context.shape, [&](Coordinate at, std::size_t i) {
        if (at[3] >= count) context.value[i] = context.error[i] = 0;
    });
    return context;
}

Array below_the_largest(Array context, const Array& scores, const std::vector<bool>& blocked, Index group,
                        GroupedLayer::Largest largest) {
    using Largest = GroupedLayer::Largest;
    // Exponentials vanish in float at -104, in double at -746; before that they lose digits.
    constexpr double from = 80, to = 800;
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    // Other mistakes beside this one may leave another number of rows.
    const bool has_a_row_each =
        context.shape.size() == 4 && std::equal(context.shape.begin(), context.shape.begin() + 3, scores.shape.begin());
    if (!has_a_row_each || group < 1 || H % group != 0 || blocked.size() != scores.value.size())
        throw std::invalid_argument("the rows of scores and contexts do not fit each other");
    std::vector<double> own;  // of each row
    for (Index row = 0; row < B * H * T; ++row) {
        own.push_back(-std::numeric_limits<double>::infinity());
        for (auto i = static_cast<std::size_t>(row * S); i < static_cast<std::size_t>((row + 1) * S); ++i)
            if (!blocked[i]) own.back() = std::max(own.back(), scores.value[i]);
    }
    const auto compared_with = [&](Index row) {
        const Index head = row / T, first = head - head % group;
        const Index last = largest == Largest::of_heads_so_far ? head : first + group - 1;
        const bool all = largest == Largest::of_group;
        double most = own[static_cast<std::size_t>(row)];
        for (Index other = first; other <= last; ++other)
            for (Index t = all ? 0 : row % T; t <= (all ? T - 1 : row % T); ++t)
                most = std::max(most, own[static_cast<std::size_t>(other * T + t)]);
        return most;
    };
    const auto d_v = static_cast<std::size_t>(context.size(3));
    for (Index row = 0; row < B * H * T; ++row) {
        const double below = compared_with(row) - own[static_cast<std::size_t>(row)];
        if (!(below >= from) || std::isinf(below)) continue;
        for (auto i = static_cast<std::size_t>(row) * d_v; i < static_cast<std::size_t>(row + 1) * d_v; ++i) {
            if (below < to) {
                context.error[i] = anything;
            } else if (largest == Largest::of_heads_so_far) {
                context.value[i] = context.error[i] = 0;
            } else {
                context.error[i] = anything_but;  // 0, or 0 / 0
            }
        }
    }
    return context;
}

}  // namespace headway::diagnosis
