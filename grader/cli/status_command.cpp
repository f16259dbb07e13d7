#include "commands.hpp"
#include "console.hpp"
#include "grading.hpp"

#include "../build/digest.hpp"
#include "../report/terminal.hpp"

#include <fmt/format.h>

namespace headway::cli {

int run_status(const Course& course) {
    std::vector<verdict::Exercise> exercises;
    for (const ExerciseInfo& info : course.exercises) {
        verdict::Exercise exercise;
        const auto result = work_folder(course, course.root / "exercises", info.name) / "result.json";
        try {
            if (std::filesystem::exists(result))
                exercise = verdict::exercise_from_json(nlohmann::json::parse(build::read_file(result)));
        } catch (const std::exception&) {
            exercise = {};  // damaged: as if never graded
        }
        exercise.number = info.number;
        exercise.name = info.name;
        exercise.title = info.title;
        exercises.push_back(std::move(exercise));
    }
    fmt::print("{}", report::render_status(exercises, terminal_style()));
    return all_passed;
}

}  // namespace headway::cli
