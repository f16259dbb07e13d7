#include "report/gradescope.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "report/failure_view.hpp"
#include "report/words.hpp"
#include "terminal/page.hpp"
#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

using nlohmann::json;
using verdict::Exercise;
using verdict::Test;
using verdict::TestState;

/// As a person reads a score.
double in_hundredths(double points) { return std::round(points * 100) / 100; }

/// What a point of the exercise's own counts.
double weight_of(const Exercise& exercise, const GradescopeOptions& options) {
    const auto points = options.points.find(exercise.name);
    return points == options.points.end() || exercise.max_points == 0 ? 1 : points->second / exercise.max_points;
}

/// What a compiler or a submission said need not be UTF-8, and a document that cannot be written is nobody's grade.
json test_case(const std::string& name, double score, double max_score, const std::string& output) {
    return {{"name", verdict::showable(name)},
            {"score", in_hundredths(score)},
            {"max_score", in_hundredths(max_score)},
            {"status", score < max_score ? "failed" : "passed"},
            {"output", verdict::showable(output)},
            {"output_format", "text"},
            {"visibility", "visible"}};
}

std::string output_of(const Exercise& exercise, const Test& test) {
    if (test.state == TestState::not_implemented) return unwritten(test);
    if (test.depends_on) return "not judged: depends on " + wrong_functions_of(test);
    Page page({.width = 100, .verbose = true});
    if (test.failure) show_failure(page, test, *test.failure, {exercise.name + "/"});
    std::string text = page.take();
    for (const std::string& remark : test.remarks.value_or(std::vector<std::string>{})) text += "· " + remark + "\n";
    return text;
}

/// The mistakes that have a name, and the lesson that settles each.
std::string diagnosis_of(const Exercise& exercise) {
    std::string text;
    if (!exercise.diagnosis) return text;
    for (const verdict::NamedMistake& mistake : exercise.diagnosis->mistakes)
        text += fmt::format("{}: {}\n  {}\n", exercise.number, mistake.title, mistake.right) +
                (mistake.lesson.empty() ? "" : fmt::format("  See {}\n", mistake.lesson));
    return text;
}

/// What stands above the tests, of which there are none.
json only_words(const std::string& text) {
    return {{"output", verdict::showable(text)},
            {"output_format", "text"},
            {"visibility", "visible"},
            {"stdout_visibility", "hidden"}};
}

}  // namespace

json gradescope_of_nothing(const std::string& why) {
    json document = only_words(why);
    document["score"] = 0;
    return document;
}

json gradescope_of_failure() {
    return only_words(
        "This submission could not be graded. It is not at fault, and it has no score. Please tell your instructor, "
        "who can see the reason and run the autograder again.");
}

json gradescope(const verdict::Verdict& verdict, const GradescopeOptions& options) {
    json tests = json::array();
    std::string output;
    double score = 0;
    for (const Exercise& exercise : verdict.exercises) {
        if (exercise.state == verdict::State::unavailable)
            throw std::runtime_error(
                fmt::format("{} could not be graded, which is no score: {}", exercise.number, exercise.problem));
        const double weight = weight_of(exercise, options);
        if (weight == 0) continue;
        score += exercise.points * weight;
        output += diagnosis_of(exercise);
        if (exercise.build.problem != verdict::BuildProblem::none)
            tests.push_back(test_case(exercise.number + " builds", 0, exercise.max_points * weight,
                                      exercise.build.message + "\n" + exercise.build.diagnostics));
        for (const Test& test : exercise.tests)
            tests.push_back(test_case(exercise.number + " " + property_of(test), test.points * weight,
                                      test.max_points * weight, output_of(exercise, test)));
    }
    for (json& test : tests) test["visibility"] = options.visibility;
    return {{"score", in_hundredths(score)},
            {"execution_time", static_cast<int>(verdict.seconds)},
            {"output", verdict::showable(output)},
            {"visibility", options.visibility},
            {"stdout_visibility", "hidden"},
            {"extra_data", {{"digest", verdict.digest}}},
            {"tests", tests}};
}

}  // namespace headway::report
