#include "suites/12_small_numbers/sixteen.hpp"

#include "suites/12_small_numbers/exact_sums.hpp"
#include "suites/12_small_numbers/known.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

constexpr double u = reference::unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();

double nearest(double x, const Digits& format) {
    const int exponent = std::max(std::ilogb(x), format.least_exponent);
    const double step = std::ldexp(1.0, exponent - format.fraction_bits);
    const double result = std::nearbyint(x / step) * step;
    return std::abs(result) > format.largest ? std::copysign(infinity, x) : result;
}

using Numbers = std::span<const Known>;

Known in_float(Numbers numbers) {
    Known total = Known::exactly(0);
    double size = 0;
    for (const Known& one : numbers) {
        total = sum_of(total, one);
        size += std::abs(one.value);
    }
    const double off = static_cast<double>(numbers.size()) * u * size;
    // A few halves of like size, say, have the same sum in any order.
    if (std::isfinite(off) && !add_up_exactly(numbers, size)) {
        total.low -= off;
        total.high += off;
    }
    return total;
}

Known by_halves(Numbers numbers, const Rounding& round) {
    if (numbers.size() == 1) return numbers.front();
    const std::size_t first = numbers.size() / 2;
    return round(sum_of(by_halves(numbers.first(first), round), by_halves(numbers.subspan(first), round)));
}

Known by_neighbours(Numbers numbers, const Rounding& round) {
    std::vector<Known> left(numbers.begin(), numbers.end());
    while (left.size() > 1) {
        std::vector<Known> sums;
        for (std::size_t i = 0; i + 1 < left.size(); i += 2) sums.push_back(round(sum_of(left[i], left[i + 1])));
        if (left.size() % 2 == 1) sums.push_back(left.back());
        left = std::move(sums);
    }
    return left.front();
}

/// @param total  what the sum begins with, if it goes from the first number to the last
Known summed(Halves::Order order, Numbers numbers, const Rounding& round, Known total = Known::exactly(0)) {
    switch (order) {
        case Halves::Order::in_turn:
            for (const Known& one : numbers) total = round(sum_of(total, one));
            return total;
        case Halves::Order::from_the_end:
            for (std::size_t i = numbers.size(); i-- > 0;) total = round(sum_of(total, numbers[i]));
            return total;
        case Halves::Order::neighbours:
            return by_neighbours(numbers, round);
        case Halves::Order::halves:
            return by_halves(numbers, round);
        case Halves::Order::once:
            return round(in_float(numbers));
        case Halves::Order::never:
            break;
    }
    return in_float(numbers);
}

bool keeps_in_half(Halves::KeptTotal kept, bool asked) {
    using Kept = Halves::KeptTotal;
    if (kept == Kept::as_asked || kept == Kept::rounded_at_the_end_too) return asked;
    return kept == Kept::exchanged ? !asked : kept == Kept::in_half;
}

bool is_rounded_at_the_end(Halves::KeptTotal kept, bool in_half) {
    return kept == Halves::KeptTotal::rounded_at_the_end_too ||
           (kept == Halves::KeptTotal::in_float_rounded_once && in_half);
}

Known larger(const Known& a, const Known& b) {
    return {std::max(a.low, b.low), std::max(a.value, b.value), std::max(a.high, b.high)};
}

Known largest_of(const Halves& choices, Numbers scores) {
    const bool as_they_came = !choices.rounds_scores || choices.largest == Halves::Largest::of_row_unrounded;
    const Rounding round(choices, true);
    Known largest = Known::exactly(choices.largest == Halves::Largest::of_row_and_zero ? 0 : -infinity);
    for (const Known& score : scores) largest = larger(largest, as_they_came ? score : round(score));
    return largest;
}

/// Softmax of one row.
/// @param largest  what is subtracted
std::vector<Known> weights_of_row(const Halves& choices, const std::vector<Known>& scores, const Known& largest,
                                  bool total_in_half) {
    const Rounding round(choices, true);
    std::vector<Known> s;
    for (const Known& score : scores) s.push_back(choices.rounds_scores ? round(score) : score);
    const auto n = static_cast<double>(s.size());
    const bool is_empty = std::ranges::all_of(s, [](const Known& one) { return one.value == -infinity; }) &&
                          choices.largest != Halves::Largest::of_row_and_zero;
    if (is_empty && choices.empty_row == Halves::EmptyRow::zeros)
        return std::vector<Known>(s.size(), Known::exactly(0));
    if (is_empty && choices.empty_row == Halves::EmptyRow::uniform)
        return std::vector<Known>(s.size(), round(Known::exactly(1 / n)));
    const double most = choices.largest == Halves::Largest::of_row_unrounded ? infinity : 0;  // of a difference
    std::vector<Known> e;
    for (const Known& one : s) {
        Known d = one;
        if (choices.subtracts_max)
            d = {one.low - largest.high, one.value - largest.value, std::min(most, one.high - largest.low)};
        if (choices.rounds_difference) d = round(d);
        // exp is good to a few units in float's last place, and exact where nothing is left to compute.
        const double exp_off = d.value == 0 || d.value == -infinity ? 0 : 8 * u;
        const Known power{std::exp(d.low) * (1 - exp_off), std::exp(d.value), std::exp(d.high) * (1 + exp_off)};
        e.push_back(choices.rounds_exp ? round(power) : power);
    }
    Known total = keeps_in_half(choices.total, total_in_half) ? summed(choices.order, e, round) : in_float(e);
    if (is_rounded_at_the_end(choices.total, total_in_half)) total = round(total);
    // Where nothing is left beside what another row has, some give zeros and others 0 / 0.
    if (choices.largest == Halves::Largest::of_all_rows && total.value == 0)
        return std::vector<Known>(s.size(), Known{0, 0, anything});
    std::vector<Known> weights;
    for (const Known& one : e) {
        Known weight{one.low / total.high * (1 - 2 * u), one.value / total.value, one.high / total.low * (1 + 2 * u)};
        if (choices.by_reciprocal) {
            const Known one_over = round(Known{1 / total.high, 1 / total.value, 1 / total.low});
            weight = {one.low * one_over.low, one.value * one_over.value, one.high * one_over.high};
        }
        weights.push_back(choices.rounds_weights ? round(weight) : weight);
    }
    return weights;
}

Halves right_halves() {
    Halves halves{};
    halves.nearest = &nearest;
    return halves;
}

}  // namespace

const Halves& Halves::right() {
    static const Halves all = right_halves();
    return all;
}

Array within(Array numbers, double relative) {
    for (std::size_t i = 0; i < numbers.value.size(); ++i) {
        const double size = std::abs(numbers.value[i]), usual = 1e-7 + 2 * u * size;
        if (!std::isfinite(size) || numbers.error[i] != 0) continue;
        numbers.error[i] = size < least_ordinary ? reference::part_of_itself(relative) : (relative * size - usual) / 4;
    }
    return numbers;
}

Array rounded(const Halves& choices, const Array& x, bool to_half) { return Rounding(choices, to_half)(x); }

Array rounded_in_a_clone(const Halves& choices, const Tensor& x, bool to_half) {
    const Strides strides = x.layout().may_overlap() ? x.contiguous().strides() : x.strides();
    const Array before = reference::exact(x);
    Array after = rounded(choices, before, to_half);
    each(x.shape(), [&](Coordinate at, std::size_t i) {
        Index place = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * strides[axis];
        if (place < x.numel()) return;
        after.value[i] = before.value[i];
        after.error[i] = before.error[i];
    });
    return after;
}

Array sum_in(const Halves& choices, const Array& x, bool in_half) {
    if (x.shape.empty()) throw std::invalid_argument("no axis");
    Shape one_per_row = x.shape;
    one_per_row.back() = 1;
    Array totals = zeros(one_per_row);
    const auto n = static_cast<std::size_t>(x.size(-1));
    const Rounding round(choices, in_half);
    std::vector<Known> row(n);
    Known total = Known::exactly(0);
    for (std::size_t i = 0; i < totals.value.size(); ++i) {
        for (std::size_t j = 0; j < n; ++j) row[j] = Known::of(x, i * n + j);
        total = summed(choices.order, row, round, choices.goes_on_from_row_to_row ? total : Known::exactly(0));
        totals.value[i] = total.value;
        totals.error[i] = total.error();
    }
    if (choices.drops_the_axis) totals.shape.pop_back();
    return totals;
}

Array softmax_in_half(const Halves& choices, const Array& scores, bool total_in_half) {
    if (scores.shape.empty()) throw std::invalid_argument("no axis");
    Array weights = zeros(scores.shape);
    const auto n = static_cast<std::size_t>(scores.size(-1));
    std::vector<Known> all;
    for (std::size_t i = 0; i < scores.value.size(); ++i) all.push_back(Known::of(scores, i));
    const Known largest_of_all = largest_of(choices, all);
    for (std::size_t first = 0; first < scores.value.size(); first += n) {
        const std::vector<Known> row(all.begin() + static_cast<std::ptrdiff_t>(first),
                                     all.begin() + static_cast<std::ptrdiff_t>(first + n));
        const bool of_all = choices.largest == Halves::Largest::of_all_rows;
        const std::vector<Known> of_row =
            weights_of_row(choices, row, of_all ? largest_of_all : largest_of(choices, row), total_in_half);
        for (std::size_t j = 0; j < n; ++j) {
            weights.value[first + j] = of_row[j].value;
            weights.error[first + j] = of_row[j].error();
        }
    }
    return weights;
}

}  // namespace headway::diagnosis
