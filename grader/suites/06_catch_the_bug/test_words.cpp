#include "suites/06_catch_the_bug/test_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <vector>

namespace headway::judge {
namespace {

/// With numbers to four digits.
std::string rounded(const std::string& words) {
    static const std::regex number(R"([-+]?\d+\.\d+(e[-+]?\d+)?)");
    std::string text;
    auto end = words.begin();
    for (std::sregex_iterator found(words.begin(), words.end(), number), none; found != none; ++found) {
        text.append(end, (*found)[0].first);
        text += fmt::format("{:.4g}", std::strtod(found->str().c_str(), nullptr));
        end = (*found)[0].second;
    }
    return text.append(end, words.end());
}

}  // namespace

bool differs_in_last_digits(const std::string& words, double most) {
    static const std::regex printed_alike(R"(Which is: (\S+)\s[\s\S]*Which is: \1(\s|$))");
    static const std::regex number(R"(-?\d+\.\d{3,}(e[-+]?\d+)?)");
    if (std::regex_search(words, printed_alike)) return true;
    std::vector<double> numbers;
    for (std::sregex_iterator found(words.begin(), words.end(), number), end; found != end; ++found)
        numbers.push_back(std::strtod(found->str().c_str(), nullptr));
    return std::ranges::any_of(numbers, [&](double a) {
        return std::ranges::any_of(numbers, [&](double b) { return a != b && std::abs(a - b) <= most * std::abs(a); });
    });
}

bool says_the_same(const std::string& one, const std::string& other) { return rounded(one) == rounded(other); }

bool bears_less_than_large_scores_get(const std::string& words) {
    constexpr double promised = 0.01;  // a difference within it exceeds a smaller tolerance
    static const std::regex near(R"(The difference between [\s\S]* is (\S+), which exceeds )");
    std::smatch found;
    return std::regex_search(words, found, near) && std::strtod(found[1].str().c_str(), nullptr) <= promised;
}

}  // namespace headway::judge
