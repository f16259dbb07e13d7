#include "grading/shared_helpers.hpp"

#include "grading/calls_of_tests.hpp"
#include "grading/own_sources.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::cli {
namespace {

using verdict::FailureKind;
using verdict::FunctionState;
using verdict::name_alone;
using verdict::NamedMistake;
using verdict::Test;
using verdict::TestState;

/// The functions that a test waits for. If it waits for none, and still its function is not judged: all others that are
/// wrong.
std::vector<std::string> waited_for(const Test& test, const std::string& function,
                                    const verdict::Diagnosis& diagnosis) {
    std::vector<std::string> others = test.also_wrong.value_or(std::vector<std::string>{});
    if (test.depends_on) {
        others.push_back(*test.depends_on);
        return others;
    }
    for (const verdict::FunctionDiagnosis& one : diagnosis.functions)
        if (name_alone(one.function) != function &&
            (one.state == FunctionState::named || one.state == FunctionState::unrecognised))
            others.push_back(name_alone(one.function));
    return others;
}

/// A function is wrong itself where it throws in its own lines before it calls any of those that its test waits for,
/// and was handed nothing of theirs.
void charge_what_throws_before_its_calls(verdict::Exercise& exercise, const OwnSources& sources) {
    for (Test& test : exercise.tests) {
        if (test.state != TestState::failed || !test.failure || !test.failure->at) continue;
        const std::string function = name_alone(test.failure->function);
        if (test.failure->kind != FailureKind::exception || sources.function_around(*test.failure->at) != function)
            continue;
        const std::vector<std::string> others = waited_for(test, function, *exercise.diagnosis);
        const std::set<std::string> called = called_besides(function, *test.failure);
        const auto may_matter = [&](const std::string& other) {
            return other == function || other.starts_with("make_") || called.contains(other) ||
                   !sources.calls_none_before(*test.failure->at, other);
        };
        if (others.empty() || std::ranges::any_of(others, may_matter)) continue;
        test.depends_on.reset();
        test.also_wrong.reset();
        for (verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) {
            if (name_alone(one.function) != function || one.state != FunctionState::unjudged) continue;
            one.state = FunctionState::unrecognised;
            exercise.diagnosis->complete = false;
        }
    }
}

/// A function that calls none of the earlier ones with the same mistake does not have the mistake from them: both may
/// call a helper.
void keep_what_is_not_inherited(verdict::Exercise& exercise, const OwnSources& sources) {
    const auto was_handed = [&](const std::string& function, const std::string& other) {
        return other.starts_with("make_") || std::ranges::any_of(exercise.tests, [&](const Test& test) {
                   return test.failure && name_alone(test.failure->function) == function &&
                          called_besides(function, *test.failure).contains(other);
               });
    };
    for (verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) {
        const bool is_given = one.given_own.value_or(false);
        if (!is_given && !one.inherited) continue;
        const std::string function = name_alone(one.function);
        const auto is_its_own = [&](const std::string& id) {
            const auto mistake = std::ranges::find(exercise.diagnosis->mistakes, id, &NamedMistake::id);
            if (mistake == exercise.diagnosis->mistakes.end()) return false;
            const auto own = std::ranges::find(mistake->functions, one.function);
            return own != mistake->functions.begin() && own != mistake->functions.end() &&
                   std::all_of(mistake->functions.begin(), own, [&](const std::string& before) {
                       const std::string other = name_alone(before);
                       return other != function && !was_handed(function, other) && sources.never_calls(function, other);
                   });
        };
        std::vector<std::string> theirs = is_given ? one.mistakes : *one.inherited;
        if (std::erase_if(theirs, is_its_own) == 0) continue;
        one.given_own.reset();
        one.inherited.reset();
        if (!theirs.empty()) one.inherited = std::move(theirs);
    }
}

/// Whether a test passed that asked it given the answers of another function with this mistake.
bool is_right_given_another(const std::string& function, const NamedMistake& mistake, const std::vector<Test>& tests) {
    return std::ranges::any_of(tests, [&](const Test& test) {
        const auto is_given = [&](const std::string& other) { return name_alone(other) == test.given; };
        return test.state == TestState::passed && test.given && test.function == function && *test.given != function &&
               std::ranges::any_of(mistake.functions, is_given);
    });
}

/// State that one function keeps between calls shows in all that call it.
void leave_what_is_kept_to_its_keeper(verdict::Exercise& exercise) {
    for (const NamedMistake& mistake : exercise.diagnosis->mistakes) {
        if (mistake.id != "state_kept_between_calls") continue;
        for (verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) {
            const bool has_it_alone = one.mistakes == std::vector<std::string>{mistake.id};
            if (has_it_alone && !mistake.functions.empty() && one.function != mistake.functions.front() &&
                is_right_given_another(name_alone(one.function), mistake, exercise.tests))
                one.inherited = one.mistakes;
        }
    }
}

/// What this function lets through, as the sentence lists it: "b_in has F = 1 where 9 would fit". Empty for sentences
/// about anything else.
std::set<std::string> let_through(const std::string& sentence, const std::string& function) {
    constexpr std::string_view more = verdict::also_let_through, between = verdict::between_let_through;
    const std::size_t refusal = sentence.find(": your " + function + " should throw ");
    if (refusal == std::string::npos) return {};
    std::set<std::string> found = {sentence.substr(0, refusal)};
    std::size_t begin = sentence.find(more, refusal);
    for (begin = begin == std::string::npos ? begin : begin + more.size(); begin < sentence.size();) {
        const std::size_t end = std::min(sentence.find(between, begin), sentence.size());
        found.insert(sentence.substr(begin, end - begin));
        begin = end + between.size();
    }
    return found;
}

/// Whether `other` lets through all that `one` does.
bool lets_the_same_through(const verdict::FunctionDiagnosis& one, const verdict::FunctionDiagnosis& other) {
    const auto all_of = [](const verdict::FunctionDiagnosis& function) {
        std::set<std::string> all;
        for (const std::string& sentence : function.sentences) {
            std::set<std::string> here = let_through(sentence, name_alone(function.function));
            if (here.empty()) return std::set<std::string>{};
            all.merge(here);
        }
        return all;
    };
    const std::set<std::string> ours = all_of(one), theirs = all_of(other);
    return !ours.empty() && std::ranges::includes(theirs, ours);
}

/// A function whose only mistake is one that it calls has the mistake from there.
void leave_to_called_functions(verdict::Exercise& exercise, const OwnSources& sources) {
    std::vector<verdict::FunctionDiagnosis>& functions = exercise.diagnosis->functions;
    for (verdict::FunctionDiagnosis& one : functions) {
        if (one.inputs > 0 || one.mistakes.size() != 1 || one.given_own.value_or(false) || one.inherited) continue;
        const std::string function = name_alone(one.function), mistake = one.mistakes.front();
        const auto has_it_from = [&](const verdict::FunctionDiagnosis& other) {
            const std::string called = name_alone(other.function);
            if (called == function || other.inputs > 0 || other.mistakes != one.mistakes ||
                !sources.calls(function, called) || sources.calls(called, function))
                return false;
            if (mistake == "not_refused") return lets_the_same_through(one, other);
            // The vector is reserved in the called function, and nowhere else on the way.
            return mistake == "vector_without_elements" && !sources.never_calls(called, "reserve") &&
                   sources.never_calls_but_through(called, function, "reserve");
        };
        if (std::ranges::any_of(functions, has_it_from)) one.inherited = one.mistakes;
    }
}

/// The helper in whose lines the program divided by zero and ended; empty if it did not, or did so in the function's
/// own lines.
std::string helper_that_divides_by_zero(const Test& test, const OwnSources& sources) {
    if (test.state != TestState::failed || !test.failure || !test.failure->at || !test.failure->sanitizer) return {};
    const std::string& kind = test.failure->sanitizer->kind;
    if (kind != "division by zero" && kind != "FPE") return {};
    const std::string helper = sources.function_around(*test.failure->at);
    return helper == name_alone(test.failure->function) ? std::string() : helper;
}

/// Where a missing check ends in a division by zero within a helper: says beside it which other functions were seen to
/// divide there, and which ones call the helper.
void tell_who_divides_by_zero(verdict::Exercise& exercise, const OwnSources& sources) {
    std::vector<NamedMistake>& mistakes = exercise.diagnosis->mistakes;
    const auto mistake = std::ranges::find_if(mistakes, [](const NamedMistake& one) {
        return one.symptom.find("division by zero") != std::string::npos && !one.functions.empty();
    });
    if (mistake == mistakes.end()) return;
    std::string helper;
    std::set<std::string> seen;
    const Test* first = nullptr;
    for (const Test& test : exercise.tests) {
        const std::string own = helper_that_divides_by_zero(test, sources);
        const bool is_told = !own.empty() && std::ranges::any_of(mistake->functions, [&](const std::string& function) {
            return name_alone(function) == name_alone(test.failure->function);
        });
        if (own.empty() || is_told || (first != nullptr && own != helper)) continue;
        helper = own;
        if (first == nullptr) first = &test;
        seen.insert(name_alone(test.failure->function));
    }
    const auto told = std::ranges::find(exercise.diagnosis->functions, mistake->functions.front(),
                                        &verdict::FunctionDiagnosis::function);
    if (first == nullptr || told == exercise.diagnosis->functions.end() || told->besides) return;
    constexpr std::size_t most_told = 8;
    const std::vector<std::string> callers = sources.functions_that_name(helper);
    told->besides =
        verdict::listed({seen.begin(), seen.end()}) + (seen.size() == 1 ? " divides" : " divide") +
        " by zero in line " + std::to_string(first->failure->at->line) + ", in " + helper +
        (callers.size() > 1 && callers.size() <= most_told ? ", which " + verdict::listed(callers) + " call" : "");
}

}  // namespace

void settle_shared_helpers(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files) {
    if (!exercise.diagnosis) return;
    const OwnSources sources(files);
    charge_what_throws_before_its_calls(exercise, sources);
    keep_what_is_not_inherited(exercise, sources);
    leave_what_is_kept_to_its_keeper(exercise);
    leave_to_called_functions(exercise, sources);
    tell_who_divides_by_zero(exercise, sources);
}

}  // namespace headway::cli
