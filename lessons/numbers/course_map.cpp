// The map of the course in lesson 00: the exercises and labs that exist.
#include "course_list.hpp"
#include "lessons.hpp"

#include <algorithm>

namespace headway::lessons {
namespace {

/// "05, 07"
std::string numbers_of(const CourseLab& lab) {
    std::string numbers;
    for (const std::string& number : lab.needs) numbers += (numbers.empty() ? "" : ", ") + number;
    return numbers;
}

/// The whole course: which exercises build on each other, and which labs they open.
void map_of_the_course(Blocks& blocks) {
    constexpr std::size_t core = 5;  // what README.md says: these build on each other
    const std::vector<CourseExercise> exercises = exercises_of_the_course();
    const std::vector<CourseLab> labs = labs_of_the_course();
    constexpr double left = 16, right = 258, top = 66, width = 206, height = 36, pitch = 52;
    const std::size_t others = exercises.size() - core;
    const double labs_at = top + pitch * static_cast<double>(std::max(core, others)) + 40;
    const auto box = [&](bool is_left, double from, std::size_t row) {
        return Box{is_left ? left : right, from + pitch * static_cast<double>(row), width, height};
    };
    Picture picture(480, labs_at + pitch * static_cast<double>((labs.size() + 1) / 2) + 4);
    picture.label({left, 24}, "The course", {.type = Type::strong});
    picture.label({left, 50}, "one after the other", {.tone = Tone::faint, .type = Type::small});
    picture.label({right, 50}, "then in nearly any order", {.tone = Tone::faint, .type = Type::small});
    // From the last of the core a line branches to each of the others.
    constexpr double branch = 238;
    const double end_of_core = box(true, top, core - 1).middle().y;
    picture.line({left + width, end_of_core}, {branch, end_of_core}, Tone::ink);
    picture.line({branch, box(false, top, 0).middle().y},
                 {branch, box(false, top, std::max(core, others) - 1).middle().y}, Tone::ink);
    for (std::size_t i = 0; i < exercises.size(); ++i) {
        const bool is_core = i < core;
        const Box at = box(is_core, top, is_core ? i : i - core);
        picture.cell(at, is_core ? Tone::blue : Tone::orange, 1, exercises[i].number + " " + exercises[i].title);
        if (!is_core)
            picture.arrow({branch, at.middle().y}, {right, at.middle().y}, Tone::ink);
        else if (i > 0)
            picture.arrow({at.middle().x, at.y - 15}, {at.middle().x, at.y}, Tone::ink);
    }
    picture.label({left, labs_at - 16}, "labs: your own attention at work", {.tone = Tone::faint, .type = Type::small});
    for (std::size_t i = 0; i < labs.size(); ++i)
        picture.cell(box(i % 2 == 0, labs_at, i / 2), Tone::green, 1, labs[i].name + ", needs " + numbers_of(labs[i]));
    blocks.picture("00/map", picture,
                   "A map of the course: exercises " + exercises.front().number + " to " + exercises[core - 1].number +
                       " one after the other, then " + exercises[core].number + " to " + exercises.back().number +
                       " in nearly any order, and " + std::to_string(labs.size()) +
                       " labs. The tables below have their names.");

    std::string table = "| | you build | lesson |\n|---|---|---|\n";
    for (const CourseExercise& exercise : exercises)
        table += "| " + exercise.number + " | " + exercise.summary + " | [" + exercise.title + "](" + exercise.lesson +
                 ") |\n";
    blocks.markdown("00/exercises", table);
    table = "| | you see | needs | lesson |\n|---|---|---|---|\n";
    for (const CourseLab& lab : labs)
        table += "| `./headway lab " + lab.name + "` | " + lab.purpose + " | " + numbers_of(lab) + " | [" + lab.name +
                 "](labs/" + lab.name + ".md) |\n";
    blocks.markdown("00/labs", table);
    blocks.number("00/exercise-count", std::to_string(exercises.size()));
    blocks.number("00/lab-count", std::to_string(labs.size()));
}

const Announced announced{&map_of_the_course};

}  // namespace
}  // namespace headway::lessons
