#include "suites/11_long_texts/growth.hpp"

#include <algorithm>
#include <cstddef>

namespace headway::judge::long_texts {
namespace {

/// Halfway, as factors go, between what is four times as much and sixteen times.
constexpr double between = 8;

/// Too little to tell a growth by.
constexpr std::uint64_t a_little = std::uint64_t{3} << 19U;

double median(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    return numbers[numbers.size() / 2];
}

}  // namespace

bool Memory::is_linear() const {
    return of_long < a_little || static_cast<double>(of_long) < between * static_cast<double>(of_short);
}

double Times::ratio() const { return median(of_long) / std::max(median(of_short), 1e-6); }

Times::Growth Times::growth() const {
    constexpr double room = 1.2;
    const double quickest = std::ranges::min(of_long) / std::max(std::ranges::min(of_short), 1e-6);
    if (std::min(ratio(), quickest) > between * room) return Growth::quadratic;
    return std::max(ratio(), quickest) < between / room ? Growth::linear : Growth::unclear;
}

}  // namespace headway::judge::long_texts
