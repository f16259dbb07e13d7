#include "cli/hint.hpp"

#include "cli/commands.hpp"
#include "grading/results.hpp"
#include "terminal/console.hpp"

#include "submission/digest.hpp"
#include "submission/submission.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::cli {
namespace {

/// What there is to tell, weakest first.
struct Ladder {
    struct Hint {
        std::string about;  ///< a mistake that was found; empty: the exercise as a whole
        std::string text;
        std::string read;  ///< the section or the file that settles it
    };
    std::string key;  ///< of the counter
    std::vector<Hint> hints;
};

/// How many hints of a ladder have been asked for so far; a plain file, easy to read and to delete.
std::filesystem::path counter(const Course& course, const Ladder& ladder) {
    return course.state / "hints" / ladder.key;
}

int hints_seen(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return 0;
    return std::clamp(std::atoi(build::read_file(file).c_str()), 0, 99);
}

/// The mistakes that the last grading of the student's own exercises named.
std::vector<verdict::NamedMistake> last_mistakes(const Course& course, const ExerciseInfo& info) {
    if (course.tell > verdict::Tell::diagnosis) return {};
    const auto exercise = last_result(course, course.root / "exercises", info);
    if (!exercise || !exercise->diagnosis) return {};
    return exercise->diagnosis->mistakes;
}

/// The hints of each mistake, then the strongest of the exercise; where none is named, those of the exercise.
Ladder ladder_of(const Course& course, const ExerciseInfo& info) {
    Ladder ladder{info.name, {}};
    for (const verdict::NamedMistake& mistake : last_mistakes(course, info)) {
        ladder.key += "." + mistake.id;
        const std::string& read = mistake.lesson.empty() ? info.lesson : mistake.lesson;
        for (const std::string& hint : mistake.hints)
            if (hint != "See " + mistake.lesson + ".") ladder.hints.push_back({mistake.title, hint, read});
    }
    constexpr std::size_t longest_name = 200;
    ladder.key.resize(std::min(ladder.key.size(), longest_name));
    const auto first = ladder.hints.empty() ? info.hints.begin() : info.hints.end() - 1;
    for (auto hint = first; hint != info.hints.end(); ++hint) ladder.hints.push_back({"", *hint, info.lesson});
    return ladder;
}

/// As it is now.
bool has_passed(const Course& course, const ExerciseInfo& info) {
    try {
        const auto result = current_result(course, course.root / "exercises", info, default_seed);
        return result && result->state == verdict::State::passed;
    } catch (const build::BadSubmission&) {
        return false;  // grading says why
    }
}

}  // namespace

std::string next_hint(const Course& course, const ExerciseInfo& info, int level, report::TerminalStyle style) {
    if (info.hints.empty())
        throw CourseError(fmt::format("{} has no hints; that is a defect of the course", info.name));
    const Ladder ladder = ladder_of(course, info);
    const auto most = static_cast<int>(ladder.hints.size());
    if (level > most) throw UsageError(fmt::format("exercise {} has {} hints", info.number, most));
    const auto file = counter(course, ladder);
    const int shown = level > 0 ? level : std::min(hints_seen(file) + 1, most);
    style.verbose = true;  // a hint is not cut short
    report::Page page(style);
    page.paragraphs({}, fmt::format("{} {}: hint {} of {}", info.number, info.title, shown, most));
    const Ladder::Hint& hint = ladder.hints[static_cast<std::size_t>(shown - 1)];
    if (!hint.about.empty()) page.paragraphs({.hanging = 2}, "about: " + hint.about);
    page.blank();
    page.paragraphs({.indent = 4}, hint.text);
    page.blank();
    const std::string more = style.has_keys ? "h" : "./headway hint " + info.number;
    const std::string read = hint.read + (style.has_keys ? " (l)" : "");
    page.paragraph({.hanging = 2}, {{shown < most ? fmt::format("More: {}    Read: {}", more, read)
                                                  : fmt::format("That was the last one. Read: {}", read)}});
    try {
        std::filesystem::create_directories(file.parent_path());
        build::write_file(file, std::to_string(shown));
    } catch (const std::exception&) {
        // It is shown all the same, and comes again.
    }
    return page.take();
}

int run_hint(const Course& course, const std::string& exercise, int level) {
    const ExerciseInfo& info = course.find(exercise);
    if (level == 0 && has_passed(course, info)) {
        fmt::print(
            "{0} {1} has passed: there is nothing to mend. Its hints, all the same:\n./headway hint {0} --level 1\n",
            info.number, info.title);
        return all_passed;
    }
    fmt::print("{}", next_hint(course, info, level, terminal_style()));
    return all_passed;
}

}  // namespace headway::cli
