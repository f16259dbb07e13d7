#include "cli/lesson.hpp"

#include "cli/commands.hpp"
#include "grading/progress.hpp"
#include "terminal/console.hpp"

#include "report/lesson_page.hpp"
#include "report/next_step.hpp"
#include "sandbox/process.hpp"
#include "submission/digest.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// What comes before all exercises and belongs to none.
ExerciseInfo lesson_zero() {
    return {.name = "00",
            .number = "00",
            .title = "what attention is for",
            .summary = "",
            .lesson = "lessons/00-what-attention-is-for.md",
            .hints = {}};
}

/// Notes that lesson 00 has been opened.
fs::path zero_is_read(const Course& course) { return course.state / "lesson_00_is_read"; }

/// Of the first exercise that has not passed; lesson 00 before that is read or anything written; nothing when all have
/// passed.
std::optional<ExerciseInfo> next_lesson(const Course& course) {
    const auto exercises = standing(course);
    if (report::are_untouched(exercises) && !fs::exists(zero_is_read(course))) return lesson_zero();
    const auto next = std::ranges::find_if(
        exercises, [](const verdict::Exercise& exercise) { return exercise.state != verdict::State::passed; });
    if (next == exercises.end()) return std::nullopt;
    return course.find(next->number);
}

/// @throws UsageError
ExerciseInfo lesson_of(const Course& course, const std::string& number) {
    try {
        return course.find(number);
    } catch (const UsageError&) {
        std::vector<std::string> numbers{"00"};
        for (const ExerciseInfo& info : course.exercises) numbers.push_back(info.number);
        throw UsageError(fmt::format("there is no lesson {}; there are {}", number, verdict::listed(numbers)));
    }
}

/// @throws CourseError if the lesson is missing
std::string markdown_of(const Course& course, const ExerciseInfo& info) {
    try {
        return build::read_file(course.root / info.lesson);
    } catch (const std::runtime_error& error) {
        throw CourseError(
            fmt::format("{}. It is part of the course; git checkout -- {} brings it back.", error.what(), info.lesson));
    }
}

/// The rendered page, which comes with the student's edition; elsewhere scripts/pages.sh builds it.
std::optional<fs::path> rendered_page(const Course& course, const ExerciseInfo& info) {
    const fs::path name = fs::path(info.lesson).stem().concat(".html");
    for (const char* folder : {"lessons/pages", "build/pages"})
        if (fs::exists(course.root / folder / name)) return course.root / folder / name;
    return std::nullopt;
}

/// What can be shown without that page.
fs::path plain_page(const Course& course, const ExerciseInfo& info) {
    fs::path page = course.state / "pages" / fs::path(info.lesson).stem().concat(".html");
    fs::create_directories(page.parent_path());
    const std::string folder = "file://" + (course.root / info.lesson).parent_path().string() + "/";
    build::write_file(page, report::lesson_page(markdown_of(course, info), "Headway, lesson " + info.number, folder));
    return page;
}

/// As terminals make links of it: without spaces or what is not ASCII.
std::string url_of(const fs::path& page) {
    std::string url = "file://";
    for (const char c : page.string()) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/._-~+", c) != nullptr;
        url += is_plain && static_cast<unsigned char>(c) < 0x80 ? std::string(1, c)
                                                                : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return url;
}

/// Of Linux desktops, of Windows beneath Linux, of macOS.
bool open_in_browser(const fs::path& page) {
    const bool has_display = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr ||
                             std::getenv("WSL_DISTRO_NAME") != nullptr;
    if (!has_display) return false;
    for (const char* opener : {"/usr/bin/xdg-open", "/usr/bin/wslview", "/usr/bin/open"}) {
        if (!fs::exists(opener)) continue;
        sandbox::Command command;
        command.arguments = {opener, page.string()};
        for (const char* name :
             {"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
              "XDG_CURRENT_DESKTOP", "BROWSER", "HOME", "PATH", "WSL_DISTRO_NAME"})
            if (const char* value = std::getenv(name)) command.environment.push_back(fmt::format("{}={}", name, value));
        if (sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::browser), std::chrono::seconds(20),
                         4096)
                .ended.success())
            return true;
    }
    return false;
}

}  // namespace

std::string lesson_text(const Course& course, const ExerciseInfo& info, report::Answers answers,
                        const report::TerminalStyle& style) {
    return report::render_lesson(markdown_of(course, info), answers,
                                 fmt::format("./headway lesson {} --answers", info.number), style);
}

int run_lesson(const Course& course, const std::string& number, report::Answers answers, ReadWhere where) {
    const bool is_zero = number == "0" || number == "00";
    const std::optional<ExerciseInfo> info = is_zero          ? lesson_zero()
                                             : number.empty() ? next_lesson(course)
                                                              : lesson_of(course, number);
    if (!info) {
        fmt::print("All exercises have passed. ./headway lesson NN shows a lesson again, ./headway lab the labs.\n");
        return all_passed;
    }
    if (info->number == lesson_zero().number) {
        std::error_code ignored;
        fs::create_directories(course.state, ignored);
        std::ofstream note(zero_is_read(course));  // where it cannot be written, 00 is offered again
    }
    if (where == ReadWhere::browser) {
        const std::optional<fs::path> rendered = rendered_page(course, *info);
        if (!rendered)
            fmt::print("{}.\nIt is shown with formulas as text, without diagrams and without the explorer.\n",
                       is_full_edition() ? "This lesson's rendered page has not been built"
                                         : "This copy of the course came without the lessons' rendered pages");
        const fs::path page = rendered ? *rendered : plain_page(course, *info);
        if (!open_in_browser(page))
            fmt::print("No browser could be started here. Open this page:\n\n  {}\n", url_of(page));
        return all_passed;
    }
    show_paged(lesson_text(course, *info, answers, terminal_style()));
    return all_passed;
}

}  // namespace headway::cli
