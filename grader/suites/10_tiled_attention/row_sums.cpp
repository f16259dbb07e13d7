#include "suites/10_tiled_attention/row_sums.hpp"

#include "diagnosis/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

/// Below it, exp is 0 in float32 whatever was rounded.
constexpr double least_exponent = -105;

/// Smaller numbers lose digits in float32, or may be 0.
constexpr double imprecise = 16 * static_cast<double>(std::numeric_limits<float>::min());

double share_times(double share, double by) { return in_range_of_float(share * by); }
double share_divided(double share, double by) { return share / by; }
double share_set_to(double, double number) { return number; }

}  // namespace

void RowSums::turn_to(std::size_t matrix, std::size_t S) {
    if (shares.empty() || shares.back().matrix != matrix) shares.push_back({matrix, std::vector<double>(S)});
}

void RowSums::each_share(double (*change)(double share, double by), double by) {
    for (Shares& matrix : shares)
        for (double& share : matrix.of) share = change(share, by);
}

/// Without a score to compare with, sums go on as if they had been compared with 0.
void RowSums::compare_with_zero() {
    const double shrink = largest == no_score ? 0 : in_range_of_float(std::exp(largest));
    total = in_range_of_float(total * shrink);
    each_share(&share_times, shrink);
}

/// The next score counts as the first.
void RowSums::forget() {
    compare_with_zero();
    largest = no_score;
}

void RowSums::become(double number) {
    total = number;
    each_share(&share_set_to, number);
}

void RowSums::add_context_of(const RowSums& tile) {
    std::vector<double>& share = shares.back().of;
    for (std::size_t s = 0; s < share.size(); ++s)
        if (tile.total != 0) share[s] += tile.shares.back().of[s] / tile.total;
    total += 1;  // the context is divided by the number of tiles
}

/// All is compared with 0, as where no key was seen, but the largest score is stored.
void RowSums::take_unshifted(const std::vector<Seen>& keys, double now) {
    compare_with_zero();
    for (const Seen& key : keys) {
        const double raised = in_range_of_float(std::exp(key.score));
        total = in_range_of_float(total + raised);
        double& share = shares.back().of.at(key.value);
        share = in_range_of_float(share + raised);
    }
    largest = now;
}

/// What a tile that is normalised is divided by.
double RowSums::own_sum_of(const std::vector<Seen>& keys, double compared) {
    double sum = 0;
    for (const Seen& key : keys) sum += in_range_of_float(std::exp(key.score - compared));
    // Some compare with the tile's own largest score before they divide, and have a share where others have 0.
    const auto has_score = [](const Seen& key) { return key.score != no_score; };
    is_uncertain |= sum < imprecise && std::ranges::any_of(keys, has_score);
    return sum == 0 ? 1 : sum;
}

void RowSums::take(const std::vector<Seen>& keys, std::size_t more, const Tiling& choices, double beside) {
    using Shrinks = Tiling::Shrinks;
    using Replaced = Tiling::Replaced;
    double top = more > 0 ? std::max(0.0, beside) : beside;
    for (const Seen& key : keys) top = std::max(top, key.score);
    double now = std::max(largest, top);
    if (choices.largest == Tiling::Largest::of_this_tile && top != no_score) now = top;
    if (choices.largest == Tiling::Largest::of_this_tile_even_if_blocked) {
        if (top == no_score && has_tile) return forget();
        now = top;
    }
    if (choices.largest == Tiling::Largest::of_the_first_tile && has_tile) now = largest;
    if (top == no_score && choices.empty_tile_forgets) {
        largest = no_score;
        return become(0);
    }
    if (choices.empty_by_the_first_row) {
        if (first_row_is_empty) return take_unshifted(keys, now);
        if (now == no_score) return become(std::nan(""));
    }
    // What was summed before a blocked tile is multiplied by exp of -infinity in the next one.
    if (now == no_score && choices.largest == Tiling::Largest::stored_of_this_tile) become(0);
    if (now == no_score) {
        if (choices.empty_tile_is_zero) largest = 0;
        if (!choices.empty_tile_is_nan) return;
        largest = std::nan("");
        return become(largest);
    }
    if (top == no_score && choices.empty_tile_unshifted) return compare_with_zero();
    has_tile = true;
    const double base = choices.compares_with_zero ? std::max(now, 0.0) : now;
    const double change = choices.shrinks_inverted ? base - largest : largest - base;
    const double power = choices.shrinks_by_two ? std::exp2(change) : std::exp(change);
    const double shrink = largest == no_score ? 0 : in_range_of_float(power);
    // What is still 0 may be multiplied by anything but infinity.
    const auto shrink_sums = [&] {
        if (choices.shrinks == Shrinks::both || choices.shrinks == Shrinks::total)
            total = in_range_of_float(total * shrink);
        if (choices.shrinks == Shrinks::both || choices.shrinks == Shrinks::gathered)
            each_share(&share_times, choices.gathered_shrinks_twice ? shrink * shrink : shrink);
    };
    if (!choices.shrinks_for_each_key) shrink_sums();
    if (choices.replaced == Replaced::both || choices.replaced == Replaced::total) total = 0;
    if (choices.replaced == Replaced::both || choices.replaced == Replaced::gathered) each_share(&share_set_to, 0);
    bool sees_any = total > 0 || vanishes;
    const double compared = choices.raises_above_own_tile && top != no_score ? top : base;
    const double lowered = choices.own_part_shrinks_too ? change : 0;
    const double own_sum = choices.tile_normalised ? own_sum_of(keys, compared) : 1;
    for (const Seen& key : keys) {
        const double above = key.score - compared + lowered;
        if (choices.shrinks_for_each_key) {
            shrink_sums();
            sees_any &= shrink > 0;
        }
        sees_any |= above > least_exponent;
        const double raised = in_range_of_float(choices.raises_by_two ? std::exp2(above) : std::exp(above));
        double& share = shares.back().of.at(key.value);
        total = in_range_of_float(total + raised);
        share = in_range_of_float(share + raised / own_sum);
    }
    if (more > 0) total += static_cast<double>(more) * in_range_of_float(std::exp(lowered - compared));
    if (choices.divided_after_tiles) each_share(&share_divided, total);
    if (choices.largest == Tiling::Largest::stored_of_this_tile)
        largest = top;
    else if (choices.largest != Tiling::Largest::never_stored)
        largest = now;
    const bool may_vanish = choices.largest == Tiling::Largest::of_all_queries ||
                            choices.largest == Tiling::Largest::of_blocked_too || choices.own_part_shrinks_too ||
                            choices.shrinks_for_each_key;
    vanishes = may_vanish && total < imprecise && sees_any;
}

}  // namespace headway::diagnosis
