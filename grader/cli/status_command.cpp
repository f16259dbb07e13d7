#include "commands.hpp"
#include "console.hpp"
#include "results.hpp"

#include "../report/terminal.hpp"

#include <fmt/format.h>

namespace headway::cli {

int run_status(const Course& course) {
    std::vector<verdict::Exercise> exercises;
    for (const ExerciseInfo& info : course.exercises) {
        auto exercise = last_result(course, course.root / "exercises", info).value_or(verdict::Exercise{});
        exercise.number = info.number;
        exercise.name = info.name;
        exercise.title = info.title;
        exercises.push_back(std::move(exercise));
    }
    fmt::print("{}", report::render_status(exercises, terminal_style()));
    return all_passed;
}

}  // namespace headway::cli
