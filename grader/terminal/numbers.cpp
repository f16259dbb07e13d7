#include "terminal/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace headway::report {
namespace {

/// C writes exponents with a sign and two digits: 2e-06.
std::string with_short_exponent(const std::string& text) {
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    const std::size_t digits = text.find_first_not_of("+-0", e + 1);
    const std::string_view sign = text.at(e + 1) == '-' ? "-" : "";
    return fmt::format("{}e{}{}", text.substr(0, e), sign, text.substr(std::min(digits, text.size() - 1)));
}

}  // namespace

std::string number(double value, int significant_digits) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    // Up to a million, digits before the point are not worth an exponent.
    const double magnitude = std::abs(value);
    const int whole_digits = magnitude >= 1 && magnitude < 1e6 ? static_cast<int>(std::log10(magnitude)) + 1 : 1;
    return with_short_exponent(fmt::format("{:.{}g}", value, std::max(significant_digits, whole_digits)));
}

TwoNumbers told_apart(double yours, double expected) {
    constexpr int fewest = 4;
    constexpr int most = 17;
    const double apart = std::abs(yours - expected);
    for (int digits = fewest; std::isfinite(apart) && apart > 0 && digits < most; ++digits) {
        TwoNumbers texts = {number(yours, digits), number(expected, digits)};
        const double shown =
            std::abs(std::strtod(texts.yours.c_str(), nullptr) - std::strtod(texts.expected.c_str(), nullptr));
        if (std::abs(shown - apart) <= 0.05 * apart) return texts;
    }
    return {number(yours, 6), number(expected, 6)};
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace headway::report
