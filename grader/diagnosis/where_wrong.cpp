#include "diagnosis/where_wrong.hpp"

#include "diagnosis/asking.hpp"
#include "diagnosis/conditions.hpp"
#include "diagnosis/resizing.hpp"

#include "student/altered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace headway::diagnosis {
namespace {

/// What is enough to speak of "all".
constexpr int least_wrong = 3;
constexpr int least_right = 3;

/// Whether all slices of a mask along this axis, counted from the last, block the same.
bool repeats_along(const Mask& mask, Index axis_from_last) {
    const Index axis = mask.rank() - axis_from_last;
    if (axis < 0 || mask.numel() == 0) return true;
    const Mask whole = mask.clone();
    Index inner = 1;
    for (Index later = axis + 1; later < whole.rank(); ++later) inner *= whole.size(later);
    const Index size = whole.size(axis);
    for (Index i = 0; i < whole.numel(); ++i)
        if (whole.data()[i] != whole.data()[i - i / inner % size * inner]) return false;
    return true;
}

/// Whether some row along the last axis blocks every key.
bool has_blind_row(const Mask& mask) {
    if (mask.numel() == 0) return false;
    const Mask whole = mask.clone();
    const Index width = whole.size(-1);
    for (const bool* row = whole.data(); row != whole.data() + whole.numel(); row += width)
        if (std::all_of(row, row + width, [](bool blocked) { return blocked; })) return true;
    return false;
}

bool blocks_something(const Mask& mask) {
    const Mask whole = mask.clone();
    return std::any_of(whole.data(), whole.data() + whole.numel(), [](bool blocked) { return blocked; });
}

/// Of what is given a number a sequence: the lengths in a cache, the counts of what is new.
void add_numbers(Facts& facts, const std::string& name, const Shape& numbers) {
    if (numbers.empty()) return;
    const bool differ = std::ranges::any_of(numbers, [&](Index one) { return one != numbers.front(); });
    const bool some_is_0 = std::ranges::count(numbers, 0) > 0;
    if (name.ends_with('s')) {
        const std::string one_of_them = name.substr(0, name.size() - 1);
        facts.flag.emplace(std::pair(name + " differ", "all " + name + " are equal"), differ);
        facts.flag.emplace(std::pair("some " + one_of_them + " is 0", "no " + one_of_them + " is 0"), some_is_0);
    } else {
        const bool all_are_0 = !differ && some_is_0;
        facts.flag.emplace(std::pair("sequences differ in " + name, "all sequences have the same " + name), differ);
        facts.flag.emplace(std::pair("some sequence has no " + name, "each sequence has " + name), some_is_0);
        facts.flag.emplace(std::pair("no sequence has " + name, "some sequence has " + name), all_are_0);
    }
    if (name != "counts") return;
    if (auto tokens = facts.size.extract("T")) {  // the new ones
        facts.flag.emplace(std::pair("some tokens are padding", "no token is padding"),
                           std::ranges::any_of(numbers, [&](Index one) { return one < tokens.mapped(); }));
        tokens.key() = "n";
        facts.size.insert(std::move(tokens));
    }
}

/// Sizes and options, and what kind of mask there is.
Facts facts_with_masks(const judge::Arguments& arguments) {
    Facts facts = facts_of(arguments);
    for (const wire::Field& argument : arguments) {
        const auto* mask = std::get_if<Mask>(&argument.value);
        if (mask == nullptr) continue;
        const bool given = mask->defined();
        const auto add = [&](const char* words, const char* otherwise, bool holds) {
            facts.flag.emplace(std::pair(words, otherwise), given && holds);
        };
        add("the mask blocks a key", "no key is blocked by a mask", given && blocks_something(*mask));
        add("a query sees no key", "each query sees a key", given && has_blind_row(*mask));
        add("queries have different masks", "all queries have one mask", given && !repeats_along(*mask, 2));
        add("heads have different masks", "all heads have one mask", given && !repeats_along(*mask, 3));
        add("sequences have different masks", "all sequences have one mask", given && !repeats_along(*mask, 4));
    }
    for (const wire::Field& argument : arguments)
        if (const auto* numbers = std::get_if<Shape>(&argument.value)) add_numbers(facts, argument.name, *numbers);
    return facts;
}

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
    static const std::set<std::string> related{"S T", "d d_v", "H H_kv", "S tile", "T tile", "D E", "D d"};
    const std::string sizes = compared_sizes(condition);
    return !sizes.empty() && !related.contains(sizes);
}

/// What was asked, and whether the answer was wrong.
struct Asked {
    std::vector<Facts> facts;
    std::vector<bool> wrong;
    bool throws = true;  ///< in all that is wrong

    void add(const Observation& one) {
        if (!predicted(one, right()).is_value()) return;  // what should be refused has sizes of no name
        facts.push_back(facts_with_masks(one.arguments));
        wrong.push_back(!fit(predicted(one, right()), one.seen));
        if (wrong.back()) throws &= one.seen.kind == Answer::Kind::refused || one.seen.kind == Answer::Kind::threw;
    }
    bool splits(const std::function<bool(const Facts&)>& holds) const {
        for (std::size_t i = 0; i < facts.size(); ++i)
            if (holds(facts[i]) != wrong[i]) return false;
        return true;
    }
    /// Right for wrong, and wrong for right.
    Asked turned() const {
        Asked other = *this;
        other.wrong.flip();
        return other;
    }
    std::ptrdiff_t count(bool is_wrong) const { return std::ranges::count(wrong, is_wrong); }
};

/// The same call with one head; nothing where heads are not a number of their own, or a mask speaks of each.
std::optional<judge::Arguments> with_one_head(judge::Arguments arguments) {
    bool has_heads = false;
    for (wire::Field& argument : arguments) {
        if (argument.name == "num_kv_heads") return std::nullopt;
        const auto* mask = std::get_if<Mask>(&argument.value);
        if (mask != nullptr && mask->rank() >= 3 && mask->size(-3) > 1) return std::nullopt;
        if (argument.name != "num_heads") continue;
        argument.value = Index{1};
        has_heads = true;
    }
    return has_heads ? std::optional(std::move(arguments)) : std::nullopt;
}

/// The first calls that were answered wrong, with other numbers and other masks: sizes that are rare need not stay so.
void ask_like_the_wrong(Asked& asked, const std::vector<Observation>& observations, const Function& function,
                        judge::Student& student, Random& random) {
    constexpr int most_calls = 3, times = 3;
    int calls = 0;
    for (const Observation& one : observations) {
        if (!one.seen.is_value() || !predicted(one, right()).is_value() || fit(predicted(one, right()), one.seen))
            continue;
        if (++calls > most_calls) return;
        judge::Arguments arguments = one.arguments;
        for (int time = 0; time < times; ++time) {
            arguments = judge::with_other_numbers(arguments);
            for (const auto& again :
                 {std::optional(arguments), judge::with_other_masks(arguments, random), with_one_head(arguments)})
                if (again)
                    if (Predict predict = known_prediction(function, *again))
                        asked.add({*again, ask(student, function, *again).answer, std::move(predict)});
        }
    }
}

/// More of the function's own questions, until there are enough or it takes too long.
void ask_more(Asked& asked, const Function& function, judge::Student& student, Random& random) {
    constexpr int most_to_ask = 60, most_failures = 3;
    constexpr std::chrono::milliseconds most_time{600};
    const auto begin = std::chrono::steady_clock::now();
    int questions = 0, failures = 0;
    while (questions < most_to_ask) {
        const int before = questions;
        for (const auto& [arguments, name] : function.questions(random)) {
            if (++questions > most_to_ask || failures >= most_failures) return;
            if (std::chrono::steady_clock::now() - begin > most_time) return;
            Observation question{arguments, {}, function.model(arguments)};
            if (!question.predict) continue;
            const Reply reply = ask(student, function, arguments);
            if (reply.failure) ++failures;
            question.seen = reply.answer;
            asked.add(question);
        }
        if (questions == before) return;
    }
}

/// What holds wherever it is wrong and nowhere else, in words: one condition, or two if one does not do. Nothing where
/// so many do that nobody knows which of them it depends on.
std::optional<std::string> simplest_split(const Asked& asked) {
    constexpr std::ptrdiff_t most_in_common = 3;
    std::vector<Condition> necessary = conditions_of(asked.facts, asked.wrong);
    std::erase_if(necessary, compares_unrelated);
    std::string alone;
    std::ptrdiff_t count = 0;
    std::set<std::string> compared;
    for (const Condition& one : necessary) {
        const std::string sizes = compared_sizes(one);
        // H > H_kv says H ≠ H_kv as well.
        if (!asked.splits(one.holds) || (!sizes.empty() && !compared.insert(sizes).second)) continue;
        ++count;
        alone = alone.empty() ? one.words : both_hold(alone, one.words);
    }
    if (count > 0) return count <= most_in_common ? std::optional(alone) : std::nullopt;
    for (std::size_t i = 0; i < necessary.size(); ++i)
        for (std::size_t j = i + 1; j < necessary.size(); ++j)
            if (asked.splits(
                    [&](const Facts& facts) { return necessary[i].holds(facts) && necessary[j].holds(facts); }))
                return both_hold(necessary[i].words, necessary[j].words);
    return std::nullopt;
}

/// An option, or a kind of mask, without which everything is right: what is wrong needs it, and something else besides.
/// Of several the one that most questions are without, which speaks least for chance.
struct NeededOption {
    std::string words;
    std::ptrdiff_t with = 0, without = 0;  ///< how many questions have it
};

std::optional<NeededOption> needed_option(const Asked& asked) {
    constexpr std::ptrdiff_t least_without = 8;
    NeededOption needed;
    for (const Condition& one : conditions_of(asked.facts, asked.wrong)) {
        const auto with = std::ranges::count_if(asked.facts, one.holds);
        const auto without = static_cast<std::ptrdiff_t>(asked.facts.size()) - with;
        if (!one.of_sizes && without > needed.without) needed = {one.words, with, without};
    }
    return needed.without >= least_without ? std::optional(needed) : std::nullopt;
}

}  // namespace

WhereWrong where_it_is_wrong(const std::vector<Observation>& observations, const Function& function,
                             judge::Student& student, Random& random) {
    Asked asked;
    for (const Observation& one : observations) asked.add(one);
    ask_like_the_wrong(asked, observations, function, student, random);
    for (const Observation& one : ask_with_other_sizes(observations, right(), function, student, random))
        asked.add(one);
    ask_more(asked, function, student, random);
    const auto wrong = asked.count(true), right = asked.count(false);
    if (wrong < least_wrong || right < least_right) return {};
    const auto split = simplest_split(asked);
    if (split && asked.throws)
        return {
            fmt::format("it throws where {}: in all {} such calls, and in none of the {} others", *split, wrong, right),
            true};
    if (split) return {fmt::format("wrong in all {} questions where {}, right in all {} others", wrong, *split, right)};
    if (const auto turned = simplest_split(asked.turned()))
        return {fmt::format("right in all {} questions where {}, wrong in all {} others", right, *turned, wrong)};
    if (const auto needed = needed_option(asked))
        return {fmt::format("wrong only where {}: in {} of {} such questions, and in none of the {} others",
                            needed->words, wrong, needed->with, needed->without)};
    return {};
}

}  // namespace headway::diagnosis
