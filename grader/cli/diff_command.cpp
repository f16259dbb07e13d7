#include "cli/commands.hpp"
#include "cli/reveal.hpp"
#include "grading/exercise_folder.hpp"
#include "terminal/console.hpp"

#include "sandbox/process.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

#include <sstream>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// The lines of `diff -u`, after its two lines with names.
std::string compare(const fs::path& yours, const fs::path& solution) {
    sandbox::Command command;
    command.arguments = {"/usr/bin/diff", "-u", "-b", yours.string(), solution.string()};
    const auto finished = sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::difference),
                                       std::chrono::seconds(20), std::size_t{1} << 20U);
    if (finished.ended.success()) return "";
    if (finished.ended.signal != 0 || finished.ended.exit_code > 1)
        throw CourseError("diff could not compare them: " + finished.output);
    std::size_t begin = 0;
    for (int line = 0; line < 2; ++line) begin = finished.output.find('\n', begin) + 1;
    return finished.output.substr(begin);
}

report::Tone tone_of(const std::string& line) {
    if (line.starts_with('-')) return report::Tone::bad;
    if (line.starts_with('+')) return report::Tone::good;
    return line.starts_with('@') ? report::Tone::faint : report::Tone::plain;
}

/// One file's differences; "-" is yours, "+" the solution's.
void show_file(report::Page& page, const Course& course, const fs::path& yours, const fs::path& solution) {
    page.line(0, {{"- " + yours.lexically_relative(course.root).string(), report::Tone::bad}});
    page.line(0, {{"+ " + solution.lexically_relative(course.root).string(), report::Tone::good}});
    if (!fs::exists(yours)) {
        page.paragraph({}, {{"You have no such file."}});
        return;
    }
    std::istringstream lines(compare(yours, solution));
    bool same = true;
    for (std::string line; std::getline(lines, line); same = false)
        page.paragraph({.hanging = 4}, {{line, tone_of(line)}});
    if (same) page.line(0, {{"They are the same."}});
    page.blank();
}

}  // namespace

int run_diff(const Course& course, const std::string& exercise, Reveal reveal) {
    const ExerciseInfo& info = course.find(exercise);
    const ExerciseFolder place(course, info);
    const fs::path solutions = course.root / "solutions" / info.name;
    if (!fs::is_directory(solutions))
        throw UsageError(fmt::format("this copy of the course has no solution of {}; ask the person who gave it to you",
                                     info.number));
    if (!may_be_shown(course, info, reveal, "diff", "yours beside the solution")) return some_did_not_pass;
    report::TerminalStyle style = terminal_style();
    style.verbose = true;  // nothing is cut short
    report::Page page(style);
    for (const fs::path& file : place.stub_files()) show_file(page, course, place.folder() / file, solutions / file);
    page.paragraphs({}, "The solution is one way among many: what passes is right.");
    fmt::print("{}", page.take());
    return all_passed;
}

}  // namespace headway::cli
