#include "diagnosis/only_where.hpp"

#include "diagnosis/examination.hpp"

#include "student/behaviour.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

/// What an argument's axes are called, by its name and the number of its axes.
struct NamedAxes {
    std::string_view argument;
    std::string_view axes;
};
constexpr NamedAxes named_axes[] = {
    {"x", "T D"},       {"x", "B T D"},         {"q", "T d"},           {"q", "B H T d"},    {"k", "S d"},
    {"k", "B H S d"},   {"v", "S d_v"},         {"v", "B H S d_v"},     {"scores", "T S"},   {"scores", "B H T S"},
    {"weights", "T S"}, {"weights", "B H T S"}, {"context", "B H T d"}, {"attended", "T D"}, {"query", "B T D"},
    {"key", "B S D"},   {"merged", "B T E"},    {"w_o", "E D"},         {"w_q", "D d"},      {"w_v", "D d_v"},
};

/// What a call was asked with, as conditions speak of it.
struct Facts {
    std::map<std::string, Index> size;
    /// Options, in words: what it is called if it is set, and if it is not.
    std::map<std::pair<std::string, std::string>, bool> flag;
};

void add_sizes(Facts& facts, std::string_view argument, const Shape& shape) {
    for (const NamedAxes& known : named_axes) {
        if (known.argument != argument) continue;
        std::istringstream words{std::string(known.axes)};
        const std::vector<std::string> axes(std::istream_iterator<std::string>(words), {});
        if (axes.size() != shape.size()) continue;
        for (std::size_t i = 0; i < axes.size(); ++i) facts.size.emplace(axes[i], shape[i]);
    }
}

std::string size_named(const std::string& argument) {
    return argument == "num_heads" ? "H" : argument == "embed_dim" ? "D" : argument;
}

void add_facts(Facts& facts, const std::vector<wire::Field>& arguments) {
    for (const wire::Field& argument : arguments) {
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) {
            // Suites say more in the name of an argument: "scores (a transposed view)".
            const std::string_view name = std::string_view(argument.name).substr(0, argument.name.find(" ("));
            if (tensor->defined()) add_sizes(facts, name, tensor->shape());
        } else if (const auto* number = std::get_if<Index>(&argument.value)) {
            const bool is_size = argument.name != "seed" && argument.name != "head_dim";
            if (is_size) facts.size.emplace(size_named(argument.name), *number);
        } else if (const auto* mask = std::get_if<Mask>(&argument.value)) {
            facts.flag.emplace(std::pair("a mask is given", "no mask is given"), mask->defined());
        } else if (const auto* option = std::get_if<bool>(&argument.value)) {
            facts.flag.emplace(std::pair(argument.name + " is set", argument.name + " is not set"), *option);
        } else if (const auto* options = std::get_if<wire::Record>(&argument.value)) {
            if (argument.name != "options") continue;
            add_facts(facts, options->fields);
            facts.flag.emplace(std::pair("head_dim is given", "head_dim is not given"),
                               options->find("head_dim") != nullptr);
        }
    }
}

Facts facts_of(const judge::Arguments& arguments) {
    Facts facts;
    add_facts(facts, arguments);
    const auto H = facts.size.find("H"), D = facts.size.find("D");
    if (H != facts.size.end() && D != facts.size.end() && H->second > 0) facts.size.emplace("d", D->second / H->second);
    return facts;
}

struct Condition {
    std::string words;
    std::function<bool(const Facts&)> holds;
};

bool all_have(const std::vector<Facts>& facts, const std::string& name) {
    return std::ranges::all_of(facts, [&](const Facts& one) { return one.size.contains(name); });
}

/// What can be told of all these, the simplest first.
std::vector<Condition> conditions_of(const std::vector<Facts>& facts, const std::vector<bool>& wrong) {
    std::vector<Condition> all;
    std::vector<std::string> names;
    for (const auto& entry : facts.front().size)
        if (all_have(facts, entry.first)) names.push_back(entry.first);
    const auto compared = [&](const std::string& a, const char* sign, const std::string& b, auto compare) {
        all.push_back({fmt::format("{} {} {}", a, sign, b),
                       [=](const Facts& one) { return compare(one.size.at(a), one.size.at(b)); }});
    };
    for (const std::string& a : names)
        all.push_back({a + " = 1", [=](const Facts& one) { return one.size.at(a) == 1; }});
    for (const auto& entry : facts.front().flag) {
        const auto& option = entry.first;
        if (!std::ranges::all_of(facts, [&](const Facts& one) { return one.flag.contains(option); })) continue;
        all.push_back({option.first, [=](const Facts& one) { return one.flag.at(option); }});
        all.push_back({option.second, [=](const Facts& one) { return !one.flag.at(option); }});
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) compared(names[i], "=", names[j], std::equal_to<Index>());
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) {
            compared(names[i], ">", names[j], std::greater<Index>());
            compared(names[i], "<", names[j], std::less<Index>());
            compared(names[i], "≠", names[j], std::not_equal_to<Index>());
        }
    for (const std::string& a : names)
        all.push_back({a + " > 1", [=](const Facts& one) { return one.size.at(a) > 1; }});
    for (const std::string& a : names) {
        // Beyond the longest that is right.
        Index longest = 1;
        for (std::size_t i = 0; i < wrong.size(); ++i)
            if (!wrong[i]) longest = std::max(longest, facts[i].size.at(a));
        if (longest > 1)
            all.push_back(
                {fmt::format("{} > {}", a, longest), [=](const Facts& one) { return one.size.at(a) > longest; }});
    }
    // They hold wherever something is wrong, and not everywhere.
    std::erase_if(all, [&](const Condition& one) {
        bool everywhere = true;
        for (std::size_t i = 0; i < wrong.size(); ++i) {
            const bool holds = one.holds(facts[i]);
            if (wrong[i] && !holds) return true;
            everywhere &= holds;
        }
        return everywhere;
    });
    return all;
}

/// A mistake that is made where a condition holds.
struct Hypothesis {
    const Mistake* mistake;
    Condition condition;

    /// Arguments that do not fit may lack an axis that the condition speaks of.
    bool is_made(const judge::Arguments& arguments) const {
        try {
            return condition.holds(facts_of(arguments));
        } catch (const std::out_of_range&) {
            return false;
        }
    }
    Answer predict(const Observation& observation) const {
        return predicted(observation, is_made(observation.arguments) ? with({mistake}) : right());
    }
    bool fits(const Observation& observation) const { return fit(predict(observation), observation.seen).has_value(); }
};

/// Whether the mistake fits all that is wrong, and says of most of it what the numbers are.
bool explains_what_is_wrong(const MistakeSet& set, const std::vector<Observation>& wrong) {
    const auto evidence = evidence_for(set, wrong);
    return evidence && evidence->is_telling() && evidence->compared >= 4;
}

/// Asks what tells the hypotheses apart, and keeps those that agree with the answers.
void ask_more(std::vector<Hypothesis>& hypotheses, const Function& function, judge::Student& student, Random& random) {
    constexpr std::size_t most_inputs = 200;
    constexpr double apart = 3;  // tolerances
    for (std::size_t inputs = 0; hypotheses.size() > 1 && inputs < most_inputs;)
        for (const auto& [arguments, name] : function.questions(random)) {
            ++inputs;
            Observation question{arguments, {}, function.model(arguments)};
            const Answer first = hypotheses.front().predict(question);
            if (!first.is_value() || std::ranges::all_of(hypotheses, [&](const Hypothesis& one) {
                    return tellable_distance(first, one.predict(question)) <= apart;
                }))
                continue;
            question.seen = ask(student, function, arguments).answer;
            std::erase_if(hypotheses, [&](const Hypothesis& one) { return !one.fits(question); });
            if (hypotheses.size() <= 1) return;
        }
}

/// Whether several sizes were 1 in whatever was wrong: which of them it depends on, nobody knows.
bool is_ambiguous(const std::vector<Hypothesis>& hypotheses) {
    std::set<std::string> sizes_of_one;
    for (const Hypothesis& one : hypotheses)
        if (one.condition.words.ends_with(" = 1")) sizes_of_one.insert(one.condition.words);
    return sizes_of_one.size() > 1;
}

/// Hidden tests end with the first answer that is wrong, which may hold one number: the same calls with other numbers.
void ask_again_with_other_numbers(std::vector<Observation>& observations, const Function& function,
                                  judge::Student& student) {
    constexpr int calls = 2, times = 4;
    std::vector<Observation> more;
    int found = 0;
    for (const Observation& one : observations) {
        if (fit(predicted(one, right()), one.seen) || !one.seen.is_value()) continue;
        if (++found > calls) break;
        judge::Arguments arguments = one.arguments;
        for (int time = 0; time < times; ++time) {
            arguments = judge::with_other_numbers(arguments);
            Predict predict = known_prediction(function, arguments);
            if (predict) more.push_back({arguments, ask(student, function, arguments).answer, std::move(predict)});
        }
    }
    std::ranges::move(more, std::back_inserter(observations));
}

}  // namespace

std::optional<MistakeOnlyWhere> mistake_only_where(const std::vector<Observation>& all,
                                                   const std::vector<const Mistake*>& candidates,
                                                   const Function& function, judge::Student& student, Random& random) {
    // What does not fit, and is refused as it should, has sizes of no name.
    std::vector<Observation> observations;
    std::ranges::copy_if(all, std::back_inserter(observations), [](const Observation& one) {
        const Answer due = predicted(one, right());
        return due.is_value() || !fit(due, one.seen);
    });
    ask_again_with_other_numbers(observations, function, student);
    std::vector<Observation> wrong_ones;
    std::vector<Facts> facts;
    std::vector<bool> wrong;
    for (const Observation& one : observations) {
        facts.push_back(facts_of(one.arguments));
        wrong.push_back(!fit(predicted(one, right()), one.seen));
        if (wrong.back()) wrong_ones.push_back(one);
    }
    if (wrong_ones.empty() || wrong_ones.size() == observations.size()) return std::nullopt;
    const std::vector<Condition> conditions = conditions_of(facts, wrong);
    if (conditions.empty()) return std::nullopt;
    MistakeSet fitting;
    std::ranges::copy_if(candidates, std::back_inserter(fitting),
                         [&](const Mistake* one) { return explains_what_is_wrong({one}, wrong_ones); });
    std::vector<Hypothesis> hypotheses;
    for (const Condition& condition : conditions)
        for (const Mistake* mistake : fitting) {
            Hypothesis one{mistake, condition};
            if (std::ranges::all_of(observations, [&](const Observation& seen) { return one.fits(seen); }))
                hypotheses.push_back(std::move(one));
        }
    ask_more(hypotheses, function, student, random);
    if (hypotheses.empty() || is_ambiguous(hypotheses)) return std::nullopt;
    const Hypothesis& first = hypotheses.front();
    MistakeOnlyWhere found{first.mistake, first.condition.words, static_cast<int>(wrong_ones.size())};
    for (const Hypothesis& other : hypotheses)
        if (other.mistake != first.mistake && other.condition.words == found.condition)
            found.alternatives.push_back(other.mistake);
    return found;
}

}  // namespace headway::diagnosis
