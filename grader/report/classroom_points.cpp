#include "report/classroom_points.hpp"

#include <algorithm>

namespace headway::report {
namespace {

using nlohmann::json;
using verdict::Exercise;
using verdict::State;

json test_of(const Exercise& exercise) {
    const bool is_graded = exercise.state != State::unavailable;
    const char* status = !is_graded ? "error" : exercise.state == State::passed ? "pass" : "fail";
    json test = {{"name", exercise.number + " " + exercise.title},
                 {"status", status},
                 {"score", is_graded ? exercise.points : 0},
                 {"line_no", 0}};
    if (!is_graded) test["message"] = exercise.number + " could not be graded; the submission is not at fault.";
    return test;
}

}  // namespace

json classroom_points(const verdict::Verdict& verdict) {
    json tests = json::array();
    int max_points = 0;
    for (const Exercise& exercise : verdict.exercises) {
        tests.push_back(test_of(exercise));
        max_points += exercise.max_points;
    }
    const auto is_in = [&](State state) {
        return [state](const Exercise& exercise) { return exercise.state == state; };
    };
    const bool is_graded = std::ranges::none_of(verdict.exercises, is_in(State::unavailable));
    const bool is_passed = std::ranges::all_of(verdict.exercises, is_in(State::passed));
    return {{"version", 1},
            {"status", !is_graded  ? "error"
                       : is_passed ? "pass"
                                   : "fail"},
            {"max_score", is_graded ? max_points : 0},
            {"tests", tests}};
}

}  // namespace headway::report
