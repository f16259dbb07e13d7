#include "diagnosis/constant_factor.hpp"

#include "student/expect.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

/// The one factor between what came and what should have come where they differ; 0 if there is none, or too little to
/// tell.
double factor_of(const Pair& pair) {
    double factor = 0;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i) {
        if (std::abs(pair.expected.value[i]) < 1e-2 || !differs(pair, i)) continue;
        const double ratio = pair.seen.value[i] / pair.expected.value[i];
        if (!std::isfinite(ratio) || ratio == 0) return 0;
        if (factor == 0) factor = ratio;
        if (std::abs(ratio - factor) > 1e-3 * std::abs(factor)) return 0;
        ++compared;
    }
    return compared >= std::min<std::size_t>(2, pair.expected.value.size()) ? factor : 0;
}

std::string short_number(double x) { return std::to_string(x).substr(0, x < 0 ? 7 : 6); }

/// The pair's largest number, as a ratio; 0 if there is none.
double ratio_at_the_largest(const Pair& pair) {
    const auto& due = pair.expected.value;
    const auto largest = std::ranges::max_element(due, {}, [](double x) { return std::isfinite(x) ? std::abs(x) : 0; });
    if (largest == due.end() || !(std::abs(*largest) > 1e-2)) return 0;
    return pair.seen.value[static_cast<std::size_t>(largest - due.begin())] / *largest;
}

bool is_scaled_by(double factor, const Pair& pair) {
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i) {
        const double due = factor * pair.expected.value[i];
        const double room = std::abs(factor) * judge::tolerance(pair.expected.value[i], pair.expected.error[i]);
        if (!(std::abs(pair.seen.value[i] - due) <= 4 * room + 1e-5 * std::abs(due))) return false;
    }
    return true;
}

}  // namespace

std::string constant_factor(const std::vector<Pair>& pairs) {
    std::vector<double> factors;
    bool some_right = false;
    for (const Pair& pair : pairs) {
        factors.push_back(factor_of(pair));
        if (factors.back() == 0) return {};
        for (std::size_t i = 0; i < pair.expected.value.size() && !some_right; ++i)
            some_right = std::abs(pair.expected.value[i]) >= 1e-2 && !differs(pair, i);
    }
    if (factors.empty()) return {};
    const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
    if (std::abs(*least - 1) < 2e-3 && std::abs(*most - 1) < 2e-3) return {};  // what is wrong is no factor
    const std::string which = some_right ? "the wrong numbers" : "all numbers";
    if (*most - *least <= 1e-3 * std::abs(*most))
        return which + " are " + short_number(factors.front()) + " times what they should be, in " +
               (factors.size() == 1 ? "the one result that is"
                                    : "all " + std::to_string(factors.size()) + " results that are") +
               " wrong";
    return "on each input " + which + " are one number times what they should be, " + short_number(*least) + " to " +
           short_number(*most) + " as inputs differ";
}

bool is_only_scaled(const std::vector<Observation>& observations) {
    constexpr std::size_t enough = 3;
    const auto pairs = wrong_pairs(observations);
    const auto wrong = std::ranges::count_if(
        observations, [](const Observation& one) { return !fit(predicted(one, right()), one.seen); });
    if (pairs.size() < enough || static_cast<std::size_t>(wrong) != pairs.size()) return false;
    if (std::ranges::any_of(observations, [](const Observation& one) { return one.seen.parts.size() > 1; }))
        return false;
    const double factor = ratio_at_the_largest(pairs.front());
    if (!std::isfinite(factor) || factor == 0 || std::abs(factor - 1) < 1e-3) return false;
    return std::ranges::all_of(pairs, [&](const Pair& pair) { return is_scaled_by(factor, pair); });
}

}  // namespace headway::diagnosis
