#include "diagnosis/only_where.hpp"

#include "diagnosis/conditions.hpp"
#include "diagnosis/examination.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "diagnosis/resizing.hpp"

#include "student/altered.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace headway::diagnosis {
namespace {

/// An explanation that is true where a condition holds.
struct Hypothesis {
    const Explanation* explanation;
    const Condition* condition;
    const Choices* usual;  ///< what is decided elsewhere

    /// Arguments that do not fit may lack an axis that the condition speaks of.
    bool is_made(const judge::Arguments& arguments) const {
        try {
            return condition->holds(facts_of(arguments));
        } catch (const std::out_of_range&) {
            return false;
        }
    }
    Answer predict(const Observation& observation) const {
        return is_made(observation.arguments) ? explanation->predict(observation) : predicted(observation, *usual);
    }
    bool fits(const Observation& observation) const { return fit(predict(observation), observation.seen).has_value(); }
};

/// Whether it fits all that is wrong, and says of most of it what the numbers are.
bool explains_what_is_wrong(const Explanation& explanation, const std::vector<Observation>& wrong) {
    const auto evidence = evidence_for(explanation.predict, wrong);
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
        if (one.condition->words.ends_with(" = 1")) sizes_of_one.insert(one.condition->words);
    return sizes_of_one.size() > 1;
}

/// Whether enough calls of different sizes speak for the condition: where it holds with the explanation, elsewhere
/// against it. Among so many conditions, one agrees with few calls by chance.
/// @param others  what else agrees with all calls
bool is_well_supported(const Hypothesis& one, const std::vector<Hypothesis>& others,
                       const std::vector<Observation>& observations, const std::vector<Facts>& facts,
                       const std::vector<bool>& wrong) {
    constexpr double apart = 3;  // tolerances
    constexpr std::size_t least_against = 2, least = 5;
    std::set<std::map<std::string, Index>> with_it, against_it;
    for (std::size_t i = 0; i < observations.size(); ++i) {
        if (wrong[i])
            with_it.insert(facts[i].size);
        else if (!one.is_made(observations[i].arguments) &&
                 tellable_distance(one.explanation->predict(observations[i]), predicted(observations[i], *one.usual)) >
                     apart)
            against_it.insert(facts[i].size);
    }
    if (against_it.size() < least_against || with_it.size() + against_it.size() < least) return false;
    const std::string& beyond = one.condition->beyond;
    std::set<Index> lengths;
    for (const auto& sizes : with_it)
        if (!beyond.empty()) lengths.insert(sizes.at(beyond));
    if (lengths.size() == 1) return false;  // that one length, or all beyond
    // Of one call alone, much can be said.
    return with_it.size() > 1 || std::ranges::none_of(others, [&](const Hypothesis& other) {
               return other.explanation == one.explanation && other.condition != one.condition &&
                      other.condition->of_sizes;
           });
}

/// Hidden tests end with the first answer that is wrong, which may hold one number: the same calls with other numbers.
/// With other masks too: what is made where sizes are these is made whatever is blocked.
void ask_again_with_other_numbers(std::vector<Observation>& observations, const Choices& usual,
                                  const Function& function, judge::Student& student, Random& random) {
    constexpr int calls = 2, times = 4;
    std::vector<Observation> more;
    int found = 0;
    for (const Observation& one : observations) {
        if (fit(predicted(one, usual), one.seen) || !one.seen.is_value()) continue;
        if (++found > calls) break;
        judge::Arguments arguments = one.arguments;
        for (int time = 0; time < times; ++time) {
            arguments = judge::with_other_numbers(arguments);
            const auto masked = judge::with_other_masks(arguments, random);
            for (const auto& again : {std::optional(arguments), masked})
                if (again)
                    if (Predict predict = known_prediction(function, *again))
                        more.push_back({*again, ask(student, function, *again).answer, std::move(predict)});
        }
    }
    std::ranges::move(more, std::back_inserter(observations));
    std::ranges::move(ask_with_other_sizes(observations, usual, function, student, random),
                      std::back_inserter(observations));
}

}  // namespace

Explanation explanation_by(const Mistake& mistake, const MistakeSet& known) {
    MistakeSet set = known;
    set.push_back(&mistake);
    return {&mistake, {}, [choices = with(set)](const Observation& observation) {
                return predicted(observation, choices);
            }};
}

std::optional<OnlyWhere> true_only_where(const std::vector<Observation>& all,
                                         const std::vector<Explanation>& candidates, const MistakeSet& known,
                                         const Function& function, judge::Student& student, Random& random) {
    const Choices usual = with(known);
    // What does not fit, and is refused as it should, has sizes of no name.
    std::vector<Observation> observations;
    std::ranges::copy_if(all, std::back_inserter(observations), [&](const Observation& one) {
        const Answer due = predicted(one, usual);
        return due.is_value() || !fit(due, one.seen);
    });
    const std::size_t given = observations.size();
    ask_again_with_other_numbers(observations, usual, function, student, random);
    std::vector<Observation> wrong_ones;
    std::vector<Facts> facts;
    std::vector<bool> wrong;
    for (const Observation& one : observations) {
        facts.push_back(facts_of(one.arguments));
        wrong.push_back(!fit(predicted(one, usual), one.seen));
        if (wrong.back()) wrong_ones.push_back(one);
    }
    if (wrong_ones.empty()) return std::nullopt;
    std::vector<Condition> conditions = conditions_of(facts, wrong);
    conditions.insert(conditions.begin(), {"", [](const Facts&) { return true; }});
    std::vector<const Explanation*> fitting;
    for (const Explanation& one : candidates)
        if (explains_what_is_wrong(one, wrong_ones)) fitting.push_back(&one);
    std::vector<Hypothesis> hypotheses;
    const auto try_where = [&](const Condition& condition) {
        for (const Explanation* explanation : fitting) {
            Hypothesis one{explanation, &condition, &usual};
            // What is refused as it should speaks against a check that is forgotten, and of nothing else.
            const bool is_check = explanation->mistake->decision.starts_with("check_");
            // Sizes of what does not fit compare as chance would have it.
            if (is_check && condition.compares) continue;
            if (std::ranges::all_of(is_check ? all : observations,
                                    [&](const Observation& seen) { return one.fits(seen); }))
                hypotheses.push_back(one);
        }
    };
    for (const Condition& condition : conditions) {
        // What is true everywhere needs no condition.
        if (&condition != &conditions.front() && !hypotheses.empty() &&
            hypotheses.front().condition == &conditions.front())
            break;
        try_where(condition);
    }
    ask_more(hypotheses, function, student, random);
    if (hypotheses.empty() || is_ambiguous(hypotheses)) return std::nullopt;
    const Hypothesis& first = hypotheses.front();
    OnlyWhere found{first.explanation->mistake, first.explanation->words, first.condition->words,
                    static_cast<int>(wrong_ones.size()), static_cast<int>(observations.size() - given)};
    if (first.condition->words.empty()) found.predict = first.explanation->predict;
    // Sizes of a question that is no call of the function are none that it knows.
    const bool has_other_sizes = function.call != nullptr;
    if (first.condition->of_sizes &&
        (has_other_sizes || !is_well_supported(first, hypotheses, observations, facts, wrong)))
        found.condition = in_some_calls;
    // A throw in some calls, nobody knows which, may come of anything.
    if (found.condition == in_some_calls &&
        std::ranges::none_of(wrong_ones, [](const Observation& one) { return one.seen.is_value(); }))
        return std::nullopt;
    if (is_of_the_result(first.explanation->mistake->id)) return found;  // true whatever leads to it
    for (const Hypothesis& other : hypotheses)
        if (other.explanation->mistake != first.explanation->mistake && other.condition == first.condition)
            found.alternatives.push_back(other.explanation->mistake);
    return found;
}

}  // namespace headway::diagnosis
