#include "report/gradescope.hpp"

#include <fmt/format.h>

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

/// What a compiler or a submission said need not be UTF-8, and a document that cannot be written is nobody's grade.
json test_case(const std::string& name, double score, double max_score, const std::string& output) {
    return {{"name", verdict::showable(name)},
            {"score", score},
            {"max_score", max_score},
            {"status", score < max_score ? "failed" : "passed"},
            {"output", verdict::showable(output)},
            {"output_format", "text"},
            {"visibility", "visible"}};
}

std::string output_of(const Exercise& exercise, const Test& test) {
    if (test.state == TestState::not_implemented) return "not written yet";
    if (test.depends_on) return "not judged: depends on " + *test.depends_on;
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

json gradescope(const verdict::Verdict& verdict) {
    json tests = json::array();
    std::string output;
    double score = 0;
    for (const Exercise& exercise : verdict.exercises) {
        if (exercise.state == verdict::State::unavailable)
            throw std::runtime_error(
                fmt::format("{} could not be graded, which is no score: {}", exercise.number, exercise.problem));
        score += exercise.points;
        output += diagnosis_of(exercise);
        if (exercise.build.problem != verdict::BuildProblem::none)
            tests.push_back(test_case(exercise.number + " builds", 0, exercise.max_points,
                                      exercise.build.message + "\n" + exercise.build.diagnostics));
        for (const Test& test : exercise.tests)
            tests.push_back(test_case(exercise.number + " " + property_of(test), test.points, test.max_points,
                                      output_of(exercise, test)));
    }
    return {{"score", score},
            {"execution_time", static_cast<int>(verdict.seconds)},
            {"output", verdict::showable(output)},
            {"visibility", "visible"},
            {"stdout_visibility", "hidden"},
            {"extra_data", {{"digest", verdict.digest}}},
            {"tests", tests}};
}

}  // namespace headway::report
