#include "diagnosis/nearly_right.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace headway::diagnosis {

namespace {

constexpr double nearly = 0.01;

double largest_of(const Array& array) {
    double largest = 0;
    for (const double number : array.value) largest = std::max(largest, std::abs(number));
    return largest;
}

/// Counts are right or wrong.
bool is_a_count(const Pair& pair) {
    const auto is_whole = [](double number) { return number == std::floor(number); };
    return std::ranges::all_of(pair.expected.value, is_whole) && std::ranges::all_of(pair.seen.value, is_whole);
}

/// The largest difference, in parts of the largest number; nothing if some number is far off for its own size. Beside
/// numbers ten times as large, a small one is measured as a tenth of them.
std::optional<double> off_by(const Pair& pair) {
    const double largest = largest_of(pair.expected);
    double off = 0;
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i) {
        const double due = pair.expected.value[i], difference = std::abs(pair.seen.value[i] - due);
        // NaN is far off.
        if (!(difference <= nearly * std::max(std::abs(due), largest / 10))) return std::nullopt;
        off = std::max(off, difference);
    }
    return off == 0 ? 0 : off / largest;
}

/// "0.3", the next number of one digit that is not below it.
std::string rounded_up_to_a_digit(double percent) {
    const double step = std::pow(10, std::floor(std::log10(percent)));
    constexpr double slack = 1e-6;  // of a number that has one digit already
    return fmt::format("{:.1g}", std::ceil(percent / step - slack) * step);
}

}  // namespace

std::string nearly_right(const std::vector<Pair>& wrong) {
    double farthest = 0;
    for (const Pair& pair : wrong) {
        const std::optional<double> off = off_by(pair);
        if (!off || is_a_count(pair)) return "";
        farthest = std::max(farthest, *off);
    }
    if (farthest == 0) return "";
    return fmt::format(
        "every wrong answer is nearly right, off by at most {} % of its largest number: is a constant or a table "
        "rounded, a small number added, or a sum kept in too few digits?",
        rounded_up_to_a_digit(100 * farthest));
}

}  // namespace headway::diagnosis
