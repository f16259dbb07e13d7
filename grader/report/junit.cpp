#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/failure_view.hpp"
#include "report/words.hpp"
#include "report/xml.hpp"
#include "terminal/page.hpp"

namespace headway::report {
namespace {

using verdict::BuildProblem;
using verdict::Exercise;
using verdict::State;
using verdict::Test;
using verdict::TestState;
using verdict::Verdict;

/// The schema has no room for NaN here.
std::string seconds(double value) { return fmt::format("{:.3f}", std::isfinite(value) ? value : 0.0); }

/// The common schema knows no time zone: "2024-05-01T12:00:00Z" without what follows the seconds.
std::string timestamp(const std::string& started) {
    return started.substr(0, std::string_view("2024-05-01T12:00:00").size());
}

struct Counts {
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    std::size_t skipped = 0;

    Counts& operator+=(const Counts& other) {
        tests += other.tests;
        failures += other.failures;
        errors += other.errors;
        skipped += other.skipped;
        return *this;
    }
};

bool has_build_case(const Exercise& exercise) { return exercise.build.problem != BuildProblem::none; }
bool has_grading_case(const Exercise& exercise) { return exercise.state == State::unavailable; }

Counts counts_of(const Exercise& exercise) {
    const auto in_state = [&](TestState state) {
        return static_cast<std::size_t>(std::ranges::count(exercise.tests, state, &Test::state));
    };
    const auto not_judged = static_cast<std::size_t>(
        std::ranges::count_if(exercise.tests, [](const Test& test) { return test.depends_on.has_value(); }));
    Counts counts = {.tests = exercise.tests.size(),
                     .failures = in_state(TestState::failed) - not_judged,
                     .errors = in_state(TestState::unavailable),
                     .skipped = in_state(TestState::not_implemented) + not_judged};
    if (has_build_case(exercise)) counts += {.tests = 1, .failures = 1};
    if (has_grading_case(exercise)) counts += {.tests = 1, .errors = 1};
    return counts;
}

/// As the terminal shows it, in full.
std::string details(const Exercise& exercise, const Test& test) {
    if (!test.failure) return "";
    Page page({.width = 100, .verbose = true});
    show_failure(page, test, *test.failure, {exercise.name + "/"});
    return "\n" + page.take();
}

std::string message_of(const Test& test) {
    const bool has_message = test.failure && !test.failure->message.empty();
    return has_message ? test.failure->message : test.property;
}

void write_test(Xml& xml, const Exercise& exercise, const Test& test) {
    xml.open("testcase", {{"name", test.name}, {"classname", exercise.name}, {"time", seconds(test.seconds)}});
    switch (test.state) {
        case TestState::passed:
            break;
        case TestState::failed: {
            if (test.depends_on) {
                xml.empty("skipped", {{"message", "not judged: depends on " + wrong_functions_of(test)}});
                break;
            }
            const std::string kind = test.failure ? to_string(test.failure->kind) : "unknown";
            xml.text("failure", {{"type", kind}, {"message", message_of(test)}}, details(exercise, test));
            break;
        }
        case TestState::not_implemented:
            xml.empty("skipped", {{"message", unwritten(test)}});
            break;
        case TestState::unavailable:
            xml.empty("error", {{"type", "unavailable"}, {"message", message_of(test)}});
            break;
    }
    if (!test.output.empty()) xml.text("system-out", {}, test.output);
    xml.close();
}

void write_build_problem(Xml& xml, const Exercise& exercise) {
    const double time = exercise.build.compile_seconds + exercise.build.link_seconds;
    xml.open("testcase", {{"name", "Builds"}, {"classname", exercise.name}, {"time", seconds(time)}});
    xml.text("failure", {{"type", to_string(exercise.build.problem)}, {"message", exercise.build.message}},
             exercise.build.diagnostics);
    xml.close();
}

void write_unavailable(Xml& xml, const Exercise& exercise) {
    xml.open("testcase", {{"name", "CanBeGraded"}, {"classname", exercise.name}, {"time", seconds(0)}});
    const std::string message = exercise.problem.empty() ? "the machine or the course is at fault" : exercise.problem;
    xml.empty("error", {{"type", "unavailable"}, {"message", message}});
    xml.close();
}

void write_suite(Xml& xml, const Exercise& exercise, const std::string& started) {
    const Counts counts = counts_of(exercise);
    xml.open("testsuite", {{"name", exercise.name},
                           {"tests", std::to_string(counts.tests)},
                           {"failures", std::to_string(counts.failures)},
                           {"errors", std::to_string(counts.errors)},
                           {"skipped", std::to_string(counts.skipped)},
                           {"time", seconds(exercise.seconds)},
                           {"timestamp", timestamp(started)}});
    xml.open("properties");
    xml.empty("property", {{"name", "title"}, {"value", exercise.title}});
    xml.empty("property", {{"name", "state"}, {"value", to_string(exercise.state)}});
    xml.empty("property", {{"name", "points"}, {"value", std::to_string(exercise.points)}});
    xml.empty("property", {{"name", "max_points"}, {"value", std::to_string(exercise.max_points)}});
    xml.close();
    if (has_grading_case(exercise)) write_unavailable(xml, exercise);
    if (has_build_case(exercise)) write_build_problem(xml, exercise);
    for (const Test& test : exercise.tests) write_test(xml, exercise, test);
    xml.close();
}

}  // namespace

std::string junit(const Verdict& verdict) {
    Counts counts;
    for (const Exercise& exercise : verdict.exercises) counts += counts_of(exercise);
    Xml xml;
    xml.open("testsuites", {{"name", "headway"},
                            {"tests", std::to_string(counts.tests)},
                            {"failures", std::to_string(counts.failures)},
                            {"errors", std::to_string(counts.errors)},
                            {"time", seconds(verdict.seconds)}});
    for (const Exercise& exercise : verdict.exercises) write_suite(xml, exercise, verdict.started);
    xml.close();
    return xml.take();
}

}  // namespace headway::report
