#include "diagnosis/constant_factor.hpp"

#include "diagnosis/conditions.hpp"
#include "diagnosis/parts_of_result.hpp"

#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

/// Numbers from which a factor can be read.
constexpr double large_enough = 1e-2;

/// @param slack  of the factor
bool is_scaled_by(double factor, const Pair& pair, std::size_t i, double slack) {
    const double due = factor * pair.expected.value[i];
    const double room = std::abs(factor) * judge::tolerance(pair.expected.value[i], pair.expected.error[i]);
    return std::abs(pair.seen.value[i] - due) <= 4 * room + slack * std::abs(due);
}

/// The one factor between what came and what should have come where they differ; 0 if there is none, or too little to
/// tell.
double factor_of(const Pair& pair) {
    constexpr double slack = 1e-3;
    double factor = 0;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i) {
        if (std::abs(pair.expected.value[i]) < large_enough || !differs(pair, i)) continue;
        const double ratio = pair.seen.value[i] / pair.expected.value[i];
        if (!std::isfinite(ratio) || ratio == 0) return 0;
        if (factor == 0) factor = ratio;
        if (std::abs(ratio - factor) > slack * std::abs(factor)) return 0;
        ++compared;
    }
    // No factor makes something of a 0.
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i)
        if (differs(pair, i) && std::abs(pair.expected.value[i]) < large_enough &&
            !is_scaled_by(factor, pair, i, slack))
            return 0;
    return compared >= std::min<std::size_t>(2, pair.expected.value.size()) ? factor : 0;
}

/// Rounded: digits that are cut off make another number of √5.
std::string short_number(double x) { return fmt::format("{:.5g}", x); }

/// The pair's largest number, as a ratio; 0 if there is none.
double ratio_at_the_largest(const Pair& pair) {
    const auto& due = pair.expected.value;
    const auto largest = std::ranges::max_element(due, {}, [](double x) { return std::isfinite(x) ? std::abs(x) : 0; });
    if (largest == due.end() || !(std::abs(*largest) > large_enough)) return 0;
    return pair.seen.value[static_cast<std::size_t>(largest - due.begin())] / *largest;
}

bool is_scaled_by(double factor, const Pair& pair) {
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i)
        if (!is_scaled_by(factor, pair, i, 1e-5)) return false;
    return true;
}

using SizesOfCall = std::map<std::string, Index>;

/// A factor that depends on the sizes of a call, in words.
struct SizeFactor {
    std::string words;
    std::function<double(const SizesOfCall&)> of;
};

/// All of them, in groups: the simpler ones first.
std::vector<std::vector<SizeFactor>> size_factors(const std::vector<std::string>& names) {
    std::vector<std::vector<SizeFactor>> groups(4);
    const auto add = [&](std::size_t group, std::string words, auto of) {
        groups[group].push_back({std::move(words), of});
    };
    const auto number = [](const SizesOfCall& sizes, const std::string& name) {
        return static_cast<double>(sizes.at(name));
    };
    for (const std::string& a : names) {
        add(0, a, [=](const SizesOfCall& n) { return number(n, a); });
        add(0, "1 / " + a, [=](const SizesOfCall& n) { return 1 / number(n, a); });
        add(2, "√" + a, [=](const SizesOfCall& n) { return std::sqrt(number(n, a)); });
        add(2, "1 / √" + a, [=](const SizesOfCall& n) { return 1 / std::sqrt(number(n, a)); });
        for (const std::string& b : names) {
            if (a == b) continue;
            add(1, fmt::format("{} / {}", a, b), [=](const SizesOfCall& n) { return number(n, a) / number(n, b); });
            add(3, fmt::format("√({} / {})", a, b),
                [=](const SizesOfCall& n) { return std::sqrt(number(n, a) / number(n, b)); });
            if (b < a) continue;
            add(3, fmt::format("{}·{}", a, b), [=](const SizesOfCall& n) { return number(n, a) * number(n, b); });
            add(3, fmt::format("1 / ({}·{})", a, b),
                [=](const SizesOfCall& n) { return 1 / (number(n, a) * number(n, b)); });
        }
    }
    return groups;
}

/// One part of a function's results: in each of its answers.
struct Part {
    std::string name;
    std::vector<std::pair<Pair, SizesOfCall>> answers;

    std::vector<Pair> wrong() const {
        std::vector<Pair> pairs;
        for (const auto& [pair, sizes] : answers)
            if (differs(pair)) pairs.push_back(pair);
        return pairs;
    }
};

/// Nothing if an answer is wrong in another way than by its numbers.
std::vector<Part> parts_in(const std::vector<Observation>& observations) {
    std::vector<Part> all;
    for (const Observation& one : observations) {
        const Answer due = predicted(one, right());
        if (!due.is_value() && fit(due, one.seen)) continue;
        if (!due.is_value() || !have_same_parts(due, one.seen)) return {};
        for (std::size_t i = 0; i < due.parts.size(); ++i) {
            const auto& [name, expected] = due.parts[i];
            const Array& seen = one.seen.parts[i].second;
            if (!have_one_shape(seen, expected)) return {};
            auto part = std::ranges::find(all, name, &Part::name);
            if (part == all.end()) part = all.insert(all.end(), {name, {}});
            part->answers.push_back({{name, expected, seen}, facts_of(one.arguments).size});
        }
    }
    return all;
}

constexpr std::size_t enough = 3;  // answers, or different factors

/// "1 / H", where this ratio of the sizes of a call makes what should have come into what came, in every answer, and no
/// other one that is as simple does; else empty.
std::string size_factor_of(const Part& part) {
    std::set<long> different;
    std::vector<std::string> names;
    for (const auto& [name, size] : part.answers.front().second) names.push_back(name);
    for (const auto& [pair, sizes] : part.answers) {
        const double factor = ratio_at_the_largest(pair);
        if (!std::isfinite(factor)) return {};
        different.insert(std::lround(factor * 1e4));
        std::erase_if(names, [&sizes = sizes](const std::string& name) {
            const auto size = sizes.find(name);
            return size == sizes.end() || size->second < 1;
        });
    }
    if (different.size() < enough) return {};
    for (const auto& group : size_factors(names)) {
        std::vector<const SizeFactor*> fitting;
        for (const SizeFactor& factor : group)
            if (std::ranges::all_of(part.answers, [&](const auto& answer) {
                    return is_scaled_by(factor.of(answer.second), answer.first);
                }))
                fitting.push_back(&factor);
        if (fitting.size() > 1) return {};
        if (fitting.size() == 1) return fitting.front()->words;
    }
    return {};
}

/// Whether one factor, other than 1, makes what should have come into what came in all that is wrong.
bool has_constant_factor(const std::vector<Pair>& wrong) {
    const double factor = ratio_at_the_largest(wrong.front());
    return wrong.size() >= enough && std::isfinite(factor) && factor != 0 && std::abs(factor - 1) >= 1e-3 &&
           std::ranges::all_of(wrong, [&](const Pair& pair) { return is_scaled_by(factor, pair); });
}

}  // namespace

std::string constant_factor(const std::vector<Pair>& pairs) {
    std::vector<double> factors;
    bool some_right = false;
    for (const Pair& pair : pairs) {
        factors.push_back(factor_of(pair));
        if (factors.back() == 0) return {};
        for (std::size_t i = 0; i < pair.expected.value.size() && !some_right; ++i)
            some_right = !differs(pair, i) && !is_scaled_by(factors.back(), pair, i, 1e-3);
    }
    if (factors.empty()) return {};
    const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
    if (std::abs(*least - 1) < 2e-3 && std::abs(*most - 1) < 2e-3) return {};  // what is wrong is no factor
    const bool is_a_number = std::ranges::all_of(pairs, [](const Pair& pair) { return pair.expected.shape.empty(); });
    const std::string which = some_right ? "the wrong numbers" : "all numbers";
    const std::string them = is_a_number ? "the number is" : which + " are", due = is_a_number ? "it" : "they";
    if (*most - *least <= 1e-3 * std::abs(*most))
        return fmt::format(
            "{} {} times what {} should be, in {} wrong", them, short_number(factors.front()), due,
            factors.size() == 1 ? "the one result that is" : fmt::format("all {} results that are", factors.size()));
    const std::string range = short_number(*least) + " to " + short_number(*most);
    if (is_a_number) return "where it is wrong, the number is " + range + " times what it should be, as inputs differ";
    return "in each wrong answer " + which + " are one number times what they should be, " + range +
           " as inputs differ";
}

bool is_all_zero(const Array& array) {
    return std::ranges::all_of(array.value, [](double x) { return x == 0; });
}

std::vector<std::string> zeros_in(const std::vector<Pair>& pairs) {
    std::vector<std::string> sentences, parts;
    for (const Pair& pair : pairs)
        if (std::ranges::find(parts, pair.part) == parts.end()) parts.push_back(pair.part);
    for (const std::string& part : parts) {
        const auto of_part = std::ranges::count(pairs, part, &Pair::part);
        const auto zero =
            std::ranges::count_if(pairs, [&](const Pair& pair) { return pair.part == part && is_all_zero(pair.seen); });
        if (zero == 0) continue;
        const std::string which = of_part == 1      ? "the one answer that is"
                                  : zero == of_part ? "each answer that is"
                                                    : fmt::format("{} of {} answers that are", zero, of_part);
        sentences.push_back(
            fmt::format("every number of {} is 0, in {} wrong", part.empty() ? "the result" : part, which));
    }
    return sentences;
}

std::optional<Factors> factors_of_results(const std::vector<Observation>& observations) {
    Factors factors;
    for (const Part& part : parts_in(observations)) {
        const std::vector<Pair> wrong = part.wrong();
        if (wrong.empty()) continue;
        const std::string of_part = part.name.empty() ? "" : "of the result, " + part.name + ": ";
        std::string sentence;
        if (has_constant_factor(wrong)) {
            const double factor = ratio_at_the_largest(wrong.front());
            sentence =
                fmt::format("{}all numbers {}, in all {} results that are wrong", of_part,
                            std::abs(factor + 1) < 1e-3 ? "have the opposite sign"
                                                        : "are " + short_number(factor) + " times what they should be",
                            wrong.size());
            factors.mistake = "result_times_a_constant";
        } else if (const std::string size = size_factor_of(part); !size.empty()) {
            sentence = of_part + "every number is " + size + " times what it should be";
            factors.mistake = "result_times_a_size";
        } else {
            return std::nullopt;
        }
        if (!part.name.empty()) factors.mistake = "part_times_a_factor";
        factors.sentences.push_back(std::move(sentence));
    }
    if (factors.sentences.empty()) return std::nullopt;
    return factors;
}

}  // namespace headway::diagnosis
