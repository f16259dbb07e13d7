#include "diagnosis/splits.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace headway::diagnosis {
namespace {

/// The sizes that are compared, "H H_kv"; empty where a condition says something else.
std::string compared_sizes(const Condition& condition) {
    std::istringstream words(condition.words);
    std::string a, sign, b;
    words >> a >> sign >> b;
    const bool is_comparison = sign == "=" || sign == "≠" || sign == "<" || sign == ">";
    if (!is_comparison || b.find_first_not_of("0123456789") == std::string::npos) return "";
    return a + " " + b;
}

/// Comparing sizes that have nothing to do with each other tells of chance.
bool compares_unrelated(const Condition& condition) {
    // In the order of the alphabet, as conditions name them.
    static const std::set<std::string> related{"S T", "d d_v", "H H_kv", "S tile", "T tile", "D E", "D d", "S w"};
    const std::string sizes = compared_sizes(condition);
    return !sizes.empty() && !related.contains(sizes);
}

/// What a condition speaks of, of which several conditions speak: "H H_kv" of H > H_kv and of H ≠ H_kv.
std::string subject_of(const Condition& condition) {
    if (std::string sizes = compared_sizes(condition); !sizes.empty()) return sizes;
    return condition.of_sizes ? condition.words.substr(0, condition.words.find(' ')) : condition.words;
}

using Holds = std::vector<bool>;

/// Of each question.
Holds where_it_holds(const Condition& condition, const Sorted& sorted) {
    Holds holds;
    for (const Facts& one : sorted.facts) holds.push_back(condition.holds(one));
    return holds;
}

/// How many kinds of questions were answered so.
std::size_t kinds(const Sorted& sorted, bool wrong) {
    std::set<std::pair<decltype(Facts::size), decltype(Facts::flag)>> all;
    for (std::size_t i = 0; i < sorted.facts.size(); ++i)
        if (sorted.wrong[i] == wrong) all.insert({sorted.facts[i].size, sorted.facts[i].flag});
    return all.size();
}

/// Two sizes that are equal in all questions are one: the second is left out.
void leave_out_second_names(std::vector<Facts>& facts) {
    std::vector<std::string> names;
    for (const auto& entry : facts.front().size) names.push_back(entry.first);
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) {
            const bool are_one = std::ranges::all_of(facts, [&](const Facts& one) {
                const auto a = one.size.find(names[i]), b = one.size.find(names[j]);
                return a != one.size.end() && b != one.size.end() && a->second == b->second;
            });
            if (are_one)
                for (Facts& one : facts) one.size.erase(names[j]);
        }
}

/// Whether what lies beyond the longest right one is known of more than one length.
bool is_of_one_length(const Condition& condition, const Sorted& sorted) {
    if (condition.beyond.empty()) return false;
    std::set<Index> lengths;
    for (std::size_t i = 0; i < sorted.facts.size(); ++i)
        if (sorted.wrong[i]) lengths.insert(sorted.facts[i].size.at(condition.beyond));
    return lengths.size() < 2;
}

/// Whether two conditions that both hold wherever it is wrong hold together nowhere else, and each was also asked
/// alone.
bool split_together(const Holds& a, const Holds& b, const Holds& wrong) {
    constexpr int least_alone = 2;
    int first_alone = 0, second_alone = 0;
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        if ((a[i] && b[i]) != wrong[i]) return false;
        first_alone += a[i] && !b[i] ? 1 : 0;
        second_alone += b[i] && !a[i] ? 1 : 0;
    }
    return first_alone >= least_alone && second_alone >= least_alone;
}

/// Whether one of two subjects is a size that the other one compares: "H H_kv" and "H_kv".
bool speaks_of_the_same_sizes(const std::pair<std::string, std::string>& subjects) {
    const auto& [a, b] = subjects;
    return a.starts_with(b + " ") || a.ends_with(" " + b) || b.starts_with(a + " ") || b.ends_with(" " + a);
}

/// Whether two questions have the same tensors contiguous, but for the one that the condition speaks of.
bool are_laid_out_alike(const Condition& condition, const Facts& a, const Facts& b) {
    return std::ranges::all_of(a.flag, [&](const auto& flag) {
        if (!flag.first.first.ends_with(not_contiguous)) return true;
        if (condition.words == flag.first.first || condition.words == flag.first.second) return true;
        const auto same = b.flag.find(flag.first);
        return same == b.flag.end() || same->second == flag.second;
    });
}

/// Whether what was wrong is right without the condition, in all questions of the same sizes and layouts from which
/// that was taken.
bool is_needed(const Condition& condition, const Holds& holds, const Sorted& sorted) {
    constexpr int least = 2;
    int taken = 0;
    for (const Change& change : sorted.changes)
        if (sorted.wrong[change.from] && !holds[change.to] &&
            sorted.facts[change.from].size == sorted.facts[change.to].size &&
            are_laid_out_alike(condition, sorted.facts[change.from], sorted.facts[change.to]))
            ++taken;
    return taken >= least;  // whatever is wrong has it: these are right
}

/// The one to tell of conditions each of which parts wrong from right. Calls in which an argument is not given have
/// sizes of their own by chance, so that the argument is missing is told before conditions on sizes.
std::optional<std::string> most_likely(const std::vector<Condition>& all) {
    std::set<std::string> subjects, left_out;
    bool all_others_are_of_sizes = true;
    for (const Condition& one : all) {
        subjects.insert(subject_of(one));
        const bool is_left_out = says_not_given(one.words);
        if (is_left_out) left_out.insert(one.words);
        all_others_are_of_sizes &= is_left_out || one.of_sizes;
    }
    if (subjects.size() == 1) return all.front().words;
    return left_out.size() == 1 && all_others_are_of_sizes ? std::optional(*left_out.begin()) : std::nullopt;
}

}  // namespace

Sorted Sorted::turned() const {
    Sorted other = *this;
    other.wrong.flip();
    return other;
}

std::optional<std::string> what_splits(const Sorted& given) {
    constexpr std::size_t least_kinds = 2;
    if (kinds(given, true) < least_kinds || kinds(given, false) < least_kinds) return std::nullopt;
    Sorted sorted = given;
    leave_out_second_names(sorted.facts);
    std::vector<Condition> necessary = conditions_of(sorted.facts, sorted.wrong);
    std::erase_if(necessary,
                  [&](const Condition& one) { return compares_unrelated(one) || is_of_one_length(one, sorted); });
    std::vector<Holds> holds;
    holds.reserve(necessary.size());
    for (const Condition& one : necessary) holds.push_back(where_it_holds(one, sorted));
    std::vector<Condition> alone;
    for (std::size_t i = 0; i < necessary.size(); ++i)
        if (holds[i] == sorted.wrong) alone.push_back(necessary[i]);
    // "H > 5" may be all that was asked of groups: "H > H_kv and H_kv > 1" says as much, and of what.
    const bool are_all_long = std::ranges::none_of(alone, [](const Condition& one) { return one.beyond.empty(); });
    if (!are_all_long) return most_likely(alone);
    std::string together;
    std::set<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < necessary.size(); ++i)
        for (std::size_t j = i + 1; j < necessary.size(); ++j) {
            if (!split_together(holds[i], holds[j], sorted.wrong)) continue;
            if (together.empty()) together = both_hold(necessary[i].words, necessary[j].words);
            pairs.insert(std::minmax({subject_of(necessary[i]), subject_of(necessary[j])}));
        }
    if (pairs.size() == 1 && (alone.empty() || speaks_of_the_same_sizes(*pairs.begin()))) return together;
    return alone.empty() ? std::nullopt : most_likely(alone);
}

std::optional<NeededOption> needed_option(const Sorted& sorted) {
    constexpr std::ptrdiff_t least_without = 8, most_right_of = 5;
    const auto wrong = std::ranges::count(sorted.wrong, true);
    NeededOption needed;
    for (const Condition& one : conditions_of(sorted.facts, sorted.wrong)) {
        if (one.of_sizes) continue;
        const Holds holds = where_it_holds(one, sorted);
        const auto with = std::ranges::count(holds, true), without = std::ranges::count(holds, false);
        const bool are_nearly_all = with - wrong <= with / most_right_of;
        if (without > needed.without && (are_nearly_all || is_needed(one, holds, sorted)))
            needed = {one.words, with, without};
    }
    return needed.without >= least_without ? std::optional(needed) : std::nullopt;
}

}  // namespace headway::diagnosis
