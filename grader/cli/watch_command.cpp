#include "cli/commands.hpp"
#include "cli/watch/watching.hpp"
#include "grading/progress.hpp"

#include <algorithm>

namespace headway::cli {
namespace {

/// The first that has not passed; where all have, the first.
const ExerciseInfo& where_the_student_is(const Course& course) {
    const auto exercises = standing(course);
    const auto next = std::find_if(exercises.begin(), exercises.end(), [](const verdict::Exercise& exercise) {
        return exercise.state != verdict::State::passed;
    });
    return next == exercises.end() ? course.exercises.front() : course.find(next->number);
}

}  // namespace

int run_watch(const Course& course, const std::string& exercise, Notice notice) {
    Watching(course, exercise.empty() ? where_the_student_is(course) : course.find(exercise), notice).run();
    return all_passed;
}

}  // namespace headway::cli
