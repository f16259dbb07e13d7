#include "grading/progress.hpp"

#include "grading/results.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

namespace headway::cli {
namespace {

using verdict::State;

constexpr const char* heading =
    "# What you have reached in this course, a line a step. Keep it with your files. Two copies of it, from two\n"
    "# machines, are joined by keeping the lines of both, in any order.\n";

std::optional<State> state_from(const std::string& word) {
    for (const State state : {State::not_started, State::partial, State::failed, State::passed})
        if (word == to_string(state)) return state;
    return std::nullopt;
}

/// "2026-11-21T12:15:36Z 03_scaled_scores failed 7 / 10"
std::string line_of(const std::string& exercise, const Reached& reached) {
    return fmt::format("{} {} {} {} / {}\n", reached.when, exercise, to_string(reached.state), reached.points,
                       reached.max_points);
}

std::optional<std::pair<std::string, Reached>> step_from(const std::string& line) {
    std::istringstream words(line);
    Reached reached;
    std::string exercise;
    std::string state;
    char slash = ' ';
    if (!(words >> reached.when >> exercise >> state >> reached.points >> slash >> reached.max_points)) return {};
    const auto known = state_from(state);
    if (!known || slash != '/' || reached.points < 0 || reached.points > reached.max_points) return {};
    reached.state = *known;
    return std::pair{exercise, reached};
}

bool is_the_same(const Reached& reached, const verdict::Exercise& exercise) {
    return reached.state == exercise.state && reached.points == exercise.points &&
           reached.max_points == exercise.max_points;
}

void add_lines(const Course& course, std::string lines) {
    const auto file = progress_file(course);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) lines = heading + lines;
    std::ofstream out(file, std::ios::app);
    out << lines << std::flush;
    if (!out) throw std::runtime_error(fmt::format("cannot write {}: what you reached is not recorded", file.string()));
}

}  // namespace

std::filesystem::path progress_file(const Course& course) { return course.root / "exercises" / "progress.txt"; }

std::map<std::string, Reached> read_progress(std::string_view text) {
    std::map<std::string, Reached> last;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const auto step = step_from(line);
        if (!step) continue;
        Reached& reached = last[step->first];
        if (step->second.when >= reached.when) reached = step->second;
    }
    return last;
}

std::map<std::string, Reached> read_progress(const Course& course) {
    std::error_code ignored;
    if (!std::filesystem::exists(progress_file(course), ignored)) return {};
    return read_progress(build::read_file(progress_file(course)));
}

void record_progress(const Course& course, const verdict::Verdict& verdict) {
    const auto before = read_progress(course);
    std::string lines;
    for (const verdict::Exercise& exercise : verdict.exercises) {
        if (exercise.state == State::unavailable) continue;
        const auto known = before.find(exercise.name);
        const bool is_news =
            known == before.end() ? exercise.state != State::not_started : !is_the_same(known->second, exercise);
        if (is_news)
            lines += line_of(exercise.name, {verdict.started, exercise.state, exercise.points, exercise.max_points});
    }
    if (!lines.empty()) add_lines(course, lines);
}

void record_reset(const Course& course, const std::string& exercise) {
    const auto progress = read_progress(course);
    const auto reached = progress.find(exercise);
    if (reached == progress.end() || reached->second.state == State::not_started) return;
    add_lines(course, line_of(exercise, {verdict::now(), State::not_started, 0, reached->second.max_points}));
}

std::vector<verdict::Exercise> standing(const Course& course) {
    const auto progress = read_progress(course);
    std::vector<verdict::Exercise> exercises;
    for (const ExerciseInfo& info : course.exercises) {
        auto exercise = last_result(course, course.root / "exercises", info).value_or(verdict::Exercise{});
        const auto reached = progress.find(info.name);
        if (reached != progress.end() && !is_the_same(reached->second, exercise)) {
            exercise = {};
            exercise.state = reached->second.state;
            exercise.points = reached->second.points;
            exercise.max_points = reached->second.max_points;
        }
        exercise.number = info.number;
        exercise.name = info.name;
        exercise.title = info.title;
        exercises.push_back(std::move(exercise));
    }
    return exercises;
}

}  // namespace headway::cli
