#include "grading/credit.hpp"

#include "grading/calls_of_tests.hpp"
#include "grading/own_sources.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace headway::cli {
namespace {

using verdict::FailureKind;
using verdict::FunctionState;
using verdict::name_alone;
using verdict::NamedMistake;
using verdict::Test;
using verdict::TestState;

/// The function in which the mistakes of a lost call lie, if it is another one; empty if it is not, or nothing is
/// known.
std::string lost_in(const Test& test, const std::vector<NamedMistake>& mistakes) {
    if (test.state != TestState::failed || test.depends_on || !test.failure || test.failure->at) return {};
    if (test.failure->kind != FailureKind::timeout && test.failure->kind != FailureKind::crash) return {};
    std::string other;
    for (const NamedMistake& mistake : mistakes) {
        if (std::ranges::find(mistake.functions, test.failure->function) == mistake.functions.end()) continue;
        if (mistake.functions.front() == test.failure->function) return {};
        other = mistake.functions.front();
    }
    return other;
}

bool fails_there(const Test& test, const verdict::SourceLine& at, const std::string& function) {
    return test.state == TestState::failed && test.failure && test.failure->function == function && test.failure->at &&
           test.failure->at->file == at.file && test.failure->at->line == at.line;
}

bool fails_a_test_of_its_own(const std::vector<Test>& tests, const std::string& function) {
    return std::ranges::any_of(tests, [&](const Test& test) {
        return test.state == TestState::failed && !test.depends_on && test.failure &&
               name_alone(test.failure->function) == function;
    });
}

/// Whether a property holds of it given what another function answers, and none is known not to: then a diagnosis that
/// knows no name for it has met what it was given.
bool passes_on_credit_alone(const std::vector<Test>& tests, const std::string& function) {
    const auto holds = [&](const Test& test) {
        return test.state == TestState::passed && test.given && test.function == function && *test.given != function;
    };
    return std::ranges::any_of(tests, holds) && !fails_a_test_of_its_own(tests, function);
}

/// Given the others or not: what the diagnosis asks may leave out what a test looks at, such as a refusal, or waits
/// for.
void say_not_that_it_is_right(verdict::FunctionDiagnosis& function) {
    if (function.state == FunctionState::follows) function.state = FunctionState::unjudged;
    if (!function.given_own.value_or(false)) return;
    function.given_own.reset();
    function.inherited = function.mistakes;
}

/// Whether a property of it could not be judged: nothing follows for it from what another function answers.
bool waits_for_another(const std::vector<Test>& tests, const std::string& function) {
    return std::ranges::any_of(tests, [&](const Test& test) {
        return test.state == TestState::failed && test.depends_on && test.failure &&
               name_alone(test.failure->function) == function;
    });
}

bool has_a_mistake(const std::string& function, const verdict::Diagnosis& diagnosis) {
    return std::ranges::any_of(diagnosis.mistakes, [&](const NamedMistake& mistake) {
        return !mistake.functions.empty() && name_alone(mistake.functions.front()) == function;
    });
}

/// The function that is wrong in place of this one, in which the diagnosis finds nothing: each test that this one fails
/// compares numbers, and called that other one and no third. The same function if it is not known to be another.
std::string truly_wrong(const std::string& function, const verdict::Exercise& exercise) {
    const verdict::Diagnosis& diagnosis = *exercise.diagnosis;
    const auto is_listed = [&](const verdict::FunctionDiagnosis& one) { return name_alone(one.function) == function; };
    if (!diagnosis.complete || std::ranges::any_of(diagnosis.functions, is_listed)) return function;
    std::set<std::string> others;
    for (const Test& test : exercise.tests) {
        if (test.state != TestState::failed || test.depends_on || !test.failure) continue;
        if (name_alone(test.failure->function) != function) continue;
        std::set<std::string> called = called_besides(function, *test.failure);
        if (test.failure->kind != FailureKind::wrong_value || called.size() != 1) return function;
        others.merge(called);
    }
    return others.size() == 1 && has_a_mistake(*others.begin(), diagnosis) ? *others.begin() : function;
}

/// The wrong function that made what this test's call works on ("make_cache"), where that call threw or ended the
/// program and the diagnosis, which brings objects of its own, finds nothing wrong in the function. Empty if there is
/// none.
std::string made_what_ends_it(const Test& test, const verdict::Exercise& exercise) {
    if (test.state != TestState::failed || test.depends_on || !test.failure) return {};
    const FailureKind kind = test.failure->kind;
    const bool gave_nothing =
        kind == FailureKind::exception || kind == FailureKind::crash || kind == FailureKind::sanitizer;
    if (!gave_nothing) return {};
    const std::string function = name_alone(test.failure->function);
    const auto is_listed = [&](const verdict::FunctionDiagnosis& one) { return name_alone(one.function) == function; };
    if (!exercise.diagnosis->complete || std::ranges::any_of(exercise.diagnosis->functions, is_listed)) return {};
    for (const std::string& called : called_besides(function, *test.failure))
        if (called.starts_with("make_") && has_a_mistake(called, *exercise.diagnosis)) return called;
    return {};
}

/// Such tests, and those that end at the same line in the same function, whose story may leave out what they work on.
void settle_what_was_made(verdict::Exercise& exercise) {
    std::vector<std::pair<Test*, std::string>> found;
    for (Test& test : exercise.tests)
        if (std::string maker = made_what_ends_it(test, exercise); !maker.empty())
            found.emplace_back(&test, std::move(maker));
    for (Test& test : exercise.tests)
        for (const auto& [known, maker] : found)
            if (&test != known && !test.depends_on && known->failure->at &&
                fails_there(test, *known->failure->at, known->failure->function))
                test.depends_on = maker;
    for (const auto& [test, maker] : found) test->depends_on = maker;
}

/// The one function with a mistake, if there is no other: what the diagnosis finds to follow from others, or cannot
/// judge because of them, follows from this one. Empty otherwise.
std::string only_one_with_a_mistake(const verdict::Diagnosis& diagnosis) {
    std::set<std::string> functions;
    for (const NamedMistake& mistake : diagnosis.mistakes)
        if (!mistake.functions.empty()) functions.insert(name_alone(mistake.functions.front()));
    const bool is_all = std::ranges::none_of(diagnosis.functions, [](const verdict::FunctionDiagnosis& one) {
        return one.state == FunctionState::unrecognised;
    });
    return is_all && functions.size() == 1 ? *functions.begin() : "";
}

/// The earlier function that throws at the same line and is wrong itself, where the diagnosis leaves the one that this
/// test asked to others: that line may stand in a helper of both. Empty if there is none.
std::string throws_there_before(const Test& test, const verdict::Exercise& exercise) {
    if (test.state != TestState::failed || test.depends_on || !test.failure || !test.failure->at) return {};
    if (test.failure->kind != FailureKind::exception) return {};
    for (const verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) {
        const bool is_left_to_others = one.state == FunctionState::unjudged || one.state == FunctionState::follows;
        if (one.function == test.failure->function) return {};  // it is judged, or the others come later
        if (is_left_to_others) continue;
        if (std::ranges::any_of(exercise.tests, [&](const Test& other) {
                return fails_there(other, *test.failure->at, one.function) && !other.depends_on &&
                       other.failure->kind == FailureKind::exception;
            }))
            return one.function;
    }
    return {};
}

/// Whether the diagnosis does not judge it before others are right.
bool is_left_to_others(const std::string& function, const verdict::Diagnosis& diagnosis) {
    return std::ranges::any_of(diagnosis.functions, [&](const verdict::FunctionDiagnosis& one) {
        return name_alone(one.function) == function && one.state == FunctionState::unjudged;
    });
}

/// A test in which such a function throws waits for the one that is wrong: it may throw because of what that one
/// returned, or in a helper of both.
void settle_what_throws(verdict::Exercise& exercise) {
    const std::string only = only_one_with_a_mistake(*exercise.diagnosis);
    for (Test& test : exercise.tests) {
        if (test.state != TestState::failed || test.depends_on || !test.failure) continue;
        const std::string function = name_alone(test.failure->function);
        if (test.failure->kind != FailureKind::exception || !is_left_to_others(function, *exercise.diagnosis)) continue;
        std::string wrong = only.empty() || only == function ? throws_there_before(test, exercise) : only;
        if (!wrong.empty()) test.depends_on = std::move(wrong);
    }
}

/// Names what is wrong where what it hands on was taken for the fault of the function that took it.
void name_what_is_wrong(std::optional<std::string>& first, std::optional<std::vector<std::string>>& others,
                        const std::string& own, const verdict::Exercise& exercise) {
    if (!first) return;
    std::vector<std::string> named;
    const auto add = [&](const std::string& function) {
        std::string wrong = truly_wrong(function, exercise);
        if (wrong == own) wrong = function;  // of itself that would say nothing
        if (std::ranges::find(named, wrong) == named.end()) named.push_back(std::move(wrong));
    };
    add(*first);
    if (others) std::ranges::for_each(*others, add);
    first = named.front();
    named.erase(named.begin());
    if (named.empty())
        others.reset();
    else
        others = std::move(named);
}

/// Whether a function is known to be wrong, or to throw, where tensors are views that are not contiguous.
bool is_wrong_for_views(const verdict::FunctionDiagnosis& function, const verdict::Exercise& exercise) {
    const auto speaks_of_it = [](const std::string& words) {
        const auto says = [&](std::string_view one) { return words.find(one) != std::string::npos; };
        return says("contiguous") || says("data()") || says(" that is a view") || says(" row-major storage");
    };
    const auto is_named = [&](const NamedMistake& one) {
        return speaks_of_it(one.title) && std::ranges::count(one.functions, function.function) > 0;
    };
    const auto throws = [&](const Test& test) {
        return test.failure && !test.depends_on && test.failure->function == name_alone(function.function) &&
               speaks_of_it(test.failure->message) && test.failure->message.find(" threw") != std::string::npos;
    };
    return std::ranges::any_of(exercise.diagnosis->mistakes, is_named) || std::ranges::any_of(exercise.tests, throws) ||
           std::ranges::any_of(function.sentences, speaks_of_it);
}

/// A test that finds that strides change no answer does not say so of functions that are wrong for views.
void except_what_is_wrong_for_views(verdict::Exercise& exercise) {
    for (Test& test : exercise.tests) {
        if (test.state != TestState::passed || test.property.find("strides change no") == std::string::npos) continue;
        for (const verdict::FunctionDiagnosis& function : exercise.diagnosis->functions)
            if (!test.given && is_wrong_for_views(function, exercise))
                test.given = test.function = name_alone(function.function);
    }
}

}  // namespace

bool lies_in_its_function(const NamedMistake& mistake, const Test& test) {
    if (test.state != TestState::passed || !test.given || !test.function) return false;
    // In their order: what a function has from another one that it calls shows in that one first.
    const auto own = std::ranges::find(mistake.functions, *test.function, name_alone);
    return own != mistake.functions.end() && own <= std::ranges::find(mistake.functions, *test.given, name_alone);
}

bool breaks(const NamedMistake& mistake, const Test& test) {
    const auto is_stated = [&](const std::string& what) {
        return std::ranges::find(*test.states, what) != test.states->end();
    };
    return test.states && lies_in_its_function(mistake, test) &&
           (is_stated(mistake.decision) || is_stated(to_string(mistake.stage)));
}

void settle_credit(verdict::Exercise& exercise) {
    for (Test& test : exercise.tests) {
        if (exercise.diagnosis)
            if (const std::string other = lost_in(test, exercise.diagnosis->mistakes); !other.empty())
                test.depends_on = other;
        if (test.state != TestState::passed || !test.given) continue;
        const bool is_broken = exercise.diagnosis &&
                               std::ranges::any_of(exercise.diagnosis->mistakes,
                                                   [&](const NamedMistake& mistake) { return breaks(mistake, test); });
        if (!is_broken) {
            test.failure.reset();
            continue;
        }
        exercise.points -= test.points;
        test.state = TestState::failed;
        test.points = 0;
        test.build = verdict::FailedIn::both;
        test.given.reset();
        test.also_wrong.reset();
        test.function.reset();
        test.states.reset();
    }
    if (!exercise.diagnosis) return;
    settle_what_was_made(exercise);
    settle_what_throws(exercise);
    // All of them first: what a test fails in shows who is wrong in others.
    std::vector<Test> tests = exercise.tests;
    for (Test& test : tests) {
        const std::string own = name_alone(test.function ? *test.function : test.failure ? test.failure->function : "");
        name_what_is_wrong(test.depends_on ? test.depends_on : test.given, test.also_wrong, own, exercise);
    }
    exercise.tests = std::move(tests);
    for (verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) {
        const std::string name = name_alone(one.function);
        if (fails_a_test_of_its_own(exercise.tests, name) || waits_for_another(exercise.tests, name))
            say_not_that_it_is_right(one);
        if (one.state != FunctionState::unrecognised ||
            !passes_on_credit_alone(exercise.tests, name_alone(one.function)))
            continue;
        one.state = FunctionState::unjudged;
        one.sentences.clear();
    }
    except_what_is_wrong_for_views(exercise);
}

void settle_places(std::vector<Test>& tests, const std::vector<build::SourceFile>& files) {
    const OwnSources sources(files);
    for (Test& test : tests) {
        if (test.state != TestState::failed || test.depends_on || !test.failure || !test.failure->at) continue;
        const verdict::SourceLine& at = *test.failure->at;
        const std::string other = sources.function_around(at);
        if (other.empty() || other == test.failure->function) continue;
        if (std::ranges::any_of(tests, [&](const Test& one) { return fails_there(one, at, other); }))
            test.depends_on = other;
    }
}

}  // namespace headway::cli
