#include "cli/reveal.hpp"

#include "grading/grading.hpp"
#include "terminal/console.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

namespace headway::cli {
namespace {

bool has_passed(const Course& course, const ExerciseInfo& info) {
    GradingOptions options;
    options.submission = course.root / "exercises";
    options.exercises = {&info};
    options.seed = default_seed;
    ProgressLine progress;
    options.progress = [&progress](const std::string& step) { progress.show(step); };
    return grade(course, options).exercises.front().state == verdict::State::passed;
}

}  // namespace

bool may_be_shown(const Course& course, const ExerciseInfo& info, Reveal reveal, const std::string& command,
                  const std::string& what) {
    if (reveal == Reveal::in_any_case || has_passed(course, info)) return true;
    report::Page page(terminal_style());
    page.paragraphs({}, fmt::format("{0} {1} does not pass yet. Once it does, ./headway {2} {0} shows {3}. If you give "
                                    "up first: ./headway {2} {0} --reveal",
                                    info.number, info.title, command, what));
    page.line(0, {{fmt::format("next: ./headway hint {}", info.number)}});
    fmt::print("{}", page.take());
    return false;
}

}  // namespace headway::cli
