#include "diagnosis/softmax.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace headway::diagnosis {
namespace {

using Rows = std::vector<std::vector<std::size_t>>;

/// The row that a score belongs to: its coordinate along the axes that are not normalised together.
Rows rows_of(const Shape& shape, Together together) {
    const std::size_t rank = shape.size();
    std::vector<bool> inside(rank, false);
    const auto mark = [&](std::size_t from_last) {
        if (from_last <= rank) inside[rank - from_last] = true;
    };
    switch (together) {
        case Together::keys:
            mark(1);
            break;
        case Together::queries:
            mark(2);
            break;
        case Together::heads:
            mark(3);
            break;
        case Together::batch:
            mark(4);
            break;
        case Together::queries_and_keys:
            mark(1);
            mark(2);
            break;
        case Together::heads_and_keys:
            mark(1);
            mark(3);
            break;
        case Together::everything:
            inside.assign(rank, true);
            break;
    }
    std::map<std::size_t, std::vector<std::size_t>> rows;
    each(shape, [&](Coordinate at, std::size_t flat) {
        std::size_t row = 0;
        for (std::size_t axis = 0; axis < rank; ++axis)
            if (!inside[axis]) row = row * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(at[axis]);
        rows[row].push_back(flat);
    });
    Rows list;
    for (auto& [row, members] : rows) list.push_back(std::move(members));
    return list;
}

/// rows_of(), worked out once for each shape: a search asks for few shapes, thousands of times.
const Rows& known_rows(const Shape& shape, Together together) {
    thread_local std::map<std::pair<Shape, Together>, Rows> known;
    const auto [entry, is_new] = known.try_emplace({shape, together});
    if (is_new) entry->second = rows_of(shape, together);
    return entry->second;
}

/// What rows before this one left behind.
struct Carried {
    double sum = 0;
    double maximum = -std::numeric_limits<double>::infinity();
};

/// Where every exponent of a row is below this, what is left of the exponentials is as the library's exp pleases:
/// denormal numbers, 0 and so 0 / 0, or the smallest number that a vectorised exp knows.
double denormal(const Softmaxing& choices) { return choices.in_double ? -708 : -87; }
double vanishing(const Softmaxing& choices) { return choices.in_double ? -746 : -104; }

double in_range(double value, const Softmaxing& choices) {
    return choices.in_double ? value : in_range_of_float(value);
}

/// Such weights are not predicted; of those that vanish it is known that they are not right.
void vanish(Row& row, double error) {
    const double maximum = row.maximum();
    double sum = 0;
    for (std::size_t i = 0; i < row.score.size(); ++i) {
        row.score[i] = row.blocked[i] ? 0 : std::exp(row.score[i] - maximum);
        sum += row.score[i];
    }
    for (double& weight : row.score) weight /= sum;
    std::fill(row.error.begin(), row.error.end(), error);
}

/// exp(score - the largest score so far) in the place of each score; of what is blocked, 0.
std::vector<double> above_the_largest_so_far(const Row& row) {
    std::vector<double> raised(row.score.size());
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < raised.size(); ++i) {
        if (row.blocked[i]) continue;
        largest = std::max(largest, row.score[i]);
        raised[i] = std::exp(row.score[i] - largest);
    }
    return raised;
}

/// The sum is worked out again for each weight, when those before it are divided already.
void divide_by_what_stands_there(Row& row) {
    for (std::size_t i = 0; i < row.score.size(); ++i) {
        row.score[i] /= std::accumulate(row.score.begin(), row.score.end(), 0.0);
        row.error[i] = 1e-4 * row.score[i];
    }
}

/// Each exponential is divided by the sum up to its own, which begins at `sum`. Next to 0 it is 0 for float.
void divide_while_adding(Row& row, double sum, double relative) {
    for (std::size_t i = 0; i < row.score.size(); ++i) {
        sum += row.score[i];
        const bool vanishes = std::abs(sum) < 1e-30;
        row.score[i] = vanishes ? 0 : in_range_of_float(row.score[i] / sum);
        row.error[i] = vanishes ? anything : std::abs(row.score[i]) * relative;
    }
}

/// Brings scores into ± limit.
void clamp(Row& row, double limit) {
    for (std::size_t i = 0; i < row.score.size(); ++i) {
        if (row.blocked[i] || std::abs(row.score[i]) <= limit) continue;
        row.score[i] = std::copysign(limit, row.score[i]);
        row.error[i] = 0;
    }
}

/// Turns the scores of a row into weights.
void normalise(Row& row, const Softmaxing& choices, Carried& carried) {
    const std::size_t count = row.score.size();
    if (row.all_blocked()) {
        const std::vector<double> errors = std::exchange(row.error, std::vector<double>(count));
        choices.empty_row(row);
        if (row.all_blocked()) {
            for (std::size_t i = 0; i < count; ++i)
                if (row.error[i] == 0) row.error[i] = std::abs(row.score[i]) * 64 * reference::unit_roundoff;
            return;
        }
        for (std::size_t i = 0; i < count; ++i) row.error[i] += errors[i];
    }
    if (choices.clamped_to > 0) clamp(row, choices.clamped_to);
    double shift = choices.shift(row);
    if (choices.carry == Carry::maximum) shift = carried.maximum = std::max(carried.maximum, shift);
    double epsilon = 0;
    double largest = std::abs(shift);
    for (std::size_t i = 0; i < count; ++i) {
        if (row.blocked[i]) continue;
        epsilon = std::max(epsilon, row.error[i]);
        largest = std::max(largest, std::abs(row.score[i]));
    }
    epsilon += 2 * reference::unit_roundoff * largest;
    const bool needs_the_sum = choices.denominator(0, row) == 0;
    const double top = row.maximum() - shift;
    if (needs_the_sum && top < vanishing(choices)) return vanish(row, anything_but);
    if (needs_the_sum && top < denormal(choices)) return vanish(row, anything);
    const bool is_rescaled = choices.rescaled == Rescaled::total_and_gathered;
    const std::vector<double> raised = is_rescaled ? std::vector<double>() : above_the_largest_so_far(row);
    const bool goes_on = choices.carry == Carry::sum || choices.carry == Carry::sum_in_head;
    const double at_first = goes_on ? carried.sum : 0;
    double sum = at_first;
    for (std::size_t i = 0; i < count; ++i) {
        row.score[i] = row.blocked[i] ? 0 : in_range(choices.exponential(row.score[i] - shift), choices);
        sum = in_range(sum + row.score[i], choices);
    }
    carried.sum = sum;
    const bool keeps_total = choices.rescaled == Rescaled::gathered || choices.rescaled == Rescaled::nothing;
    const bool keeps_gathered = choices.rescaled == Rescaled::total || choices.rescaled == Rescaled::nothing;
    if (keeps_total) sum = std::accumulate(raised.begin(), raised.end(), 0.0);
    if (keeps_gathered) row.score = raised;
    if (choices.sums_anew) return divide_by_what_stands_there(row);
    const double relative = std::expm1(2 * epsilon) + static_cast<double>(count + 8) * reference::unit_roundoff;
    if (choices.divides_while_adding) return divide_while_adding(row, at_first, relative);
    const double divisor = choices.denominator(sum, row);
    const double next_to_0 = choices.in_double ? 1e-300 : 1e-30;
    const bool vanishes = divisor != 0 && std::abs(divisor) < next_to_0;  // it may well be 0 there
    for (std::size_t i = 0; i < count; ++i) {
        row.score[i] = in_range_of_float(row.score[i] / divisor);
        row.error[i] = vanishes ? anything : std::abs(row.score[i]) * relative;
    }
}

/// Subtracts the largest open score of each group.
void subtract_the_largest(Array& scores, const Blocked& blocked, const Rows& groups) {
    for (const auto& members : groups) {
        double largest = -std::numeric_limits<double>::infinity();
        double error = 0;  // which of several is the largest, rounding may decide
        for (const std::size_t i : members) {
            if (blocked[i]) continue;
            largest = std::max(largest, scores.value[i]);
            error = std::max(error, scores.error[i]);
        }
        for (const std::size_t i : members) {
            if (blocked[i]) continue;
            scores.value[i] -= largest;
            scores.error[i] += error + reference::unit_roundoff * std::abs(scores.value[i]);
        }
    }
}

/// Divides exponentials by the sum of each group.
void divide_by_sums(Array& exponentials, const Rows& groups) {
    for (const auto& members : groups) {
        double sum = 0;
        double error = 0;
        for (const std::size_t i : members) {
            sum += exponentials.value[i];
            error += exponentials.error[i];
        }
        if (sum == 0) {  // 0 / 0, or what somebody has in its place
            for (const std::size_t i : members) exponentials.error[i] = anything;
            continue;
        }
        const double relative = error / sum + static_cast<double>(members.size() + 8) * reference::unit_roundoff;
        for (const std::size_t i : members) {
            const double weight = exponentials.value[i] / sum;
            exponentials.error[i] = sum < 1e-30 ? anything : exponentials.error[i] / sum + weight * relative;
            exponentials.value[i] = weight;
        }
    }
}

/// Where there are no heads, none begins anew: that is another mistake.
std::size_t rows_of_a_head(const Shape& shape) {
    if (shape.size() < 3) throw Unpredictable{};
    return static_cast<std::size_t>(shape[shape.size() - 2]);
}

/// Over queries and keys, in the order of the heads; empty where there is no axis of heads.
std::vector<double> largest_of_each_head(const Array& scores) {
    const std::size_t rank = scores.shape.size();
    if (rank < 3) return {};
    const auto size = static_cast<std::ptrdiff_t>(scores.shape[rank - 2] * scores.shape[rank - 1]);
    std::vector<double> largest;
    for (auto head = scores.value.begin(); head != scores.value.end(); head += size)
        largest.push_back(*std::max_element(head, head + size));
    return largest;
}

/// The blocked scores of one row become numbers like any other, unless there is nothing else in it.
void open(Array& scores, Blocked& blocked, const std::vector<std::size_t>& members, double (*number)(double)) {
    if (std::all_of(members.begin(), members.end(), [&](std::size_t i) { return blocked[i]; })) return;
    for (const std::size_t i : members) {
        if (blocked[i]) scores.value[i] = number(scores.value[i]);
        blocked[i] = false;
    }
}

}  // namespace

double in_range_of_float(double value) {
    if (value > static_cast<double>(std::numeric_limits<float>::max())) return std::numeric_limits<double>::infinity();
    if (std::abs(value) < static_cast<double>(std::numeric_limits<float>::denorm_min()) / 2) return 0;
    return value;
}

bool Row::all_blocked() const {
    return std::all_of(blocked.begin(), blocked.end(), [](bool one) { return one; });
}

double Row::maximum() const {
    double maximum = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < score.size(); ++i)
        if (!blocked[i]) maximum = std::max(maximum, score[i]);
    return maximum;
}

Array softmax(const Array& scores, Blocked blocked, const Softmaxing& choices) {
    Array weights = scores;
    if (weights.value.empty()) return weights;
    const Rows& groups = known_rows(scores.shape, choices.together);
    if (choices.blocked_score != nullptr)
        for (const auto& members : groups) open(weights, blocked, members, choices.blocked_score);
    for (int time = 0; time < choices.times; ++time) {
        const double largest_of_all = *std::max_element(weights.value.begin(), weights.value.end());
        double largest_open = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < weights.value.size(); ++i)
            if (!blocked[i]) largest_open = std::max(largest_open, weights.value[i]);
        const std::vector<double> of_heads = largest_of_each_head(weights);
        if (choices.shifted != Together::keys)
            subtract_the_largest(weights, blocked, known_rows(scores.shape, choices.shifted));
        const std::size_t head_size = of_heads.empty() ? 1 : weights.value.size() / of_heads.size();
        std::vector<Row> rows;
        rows.reserve(groups.size());
        for (const auto& members : groups) {
            Row row;
            row.score.reserve(members.size());
            row.error.reserve(members.size());
            row.blocked.reserve(members.size());
            row.largest_of_all = largest_of_all;
            row.largest_open = largest_open;
            if (!of_heads.empty()) row.largest_of_head = of_heads[members.front() / head_size];
            row.largest_blocked = -std::numeric_limits<double>::infinity();
            for (const std::size_t i : members) {
                row.score.push_back(weights.value[i]);
                row.error.push_back(weights.error[i]);
                row.blocked.push_back(blocked[i]);
                row.largest_blocked = std::max(row.largest_blocked, weights.value[i]);
            }
            rows.push_back(std::move(row));
        }
        Carried carried;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (choices.carry == Carry::sum_in_head && r % rows_of_a_head(scores.shape) == 0) carried = {};
            normalise(rows[r], choices, carried);
            for (std::size_t i = 0; i < groups[r].size(); ++i) {
                weights.value[groups[r][i]] = rows[r].score[i];
                weights.error[groups[r][i]] = rows[r].error[i];
            }
        }
        if (choices.summed != Together::keys) divide_by_sums(weights, known_rows(scores.shape, choices.summed));
    }
    // What a blocked score looks like that never met softmax is the student's choice: -infinity, 0, ...
    for (std::size_t i = 0; choices.times == 0 && i < weights.value.size(); ++i)
        if (blocked[i]) weights.error[i] = anything;
    return weights;
}

void mask_afterwards(Array& weights, const Array& scores, const Blocked& blocked, const Masking& masking) {
    masking.afterwards(weights, blocked);
    if (!masking.blocked_keep_scores) return;
    for (std::size_t i = 0; i < blocked.size(); ++i) {
        if (!blocked[i]) continue;
        weights.value[i] = scores.value[i];
        weights.error[i] = scores.error[i];
    }
}

}  // namespace headway::diagnosis
