#include "cli/lesson.hpp"

#include "cli/commands.hpp"
#include "terminal/console.hpp"

#include "sandbox/process.hpp"
#include "submission/digest.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// The page of the built site, else the lesson as it was written.
fs::path page_of(const Course& course, const ExerciseInfo& info) {
    const fs::path lesson = course.root / info.lesson;
    const fs::path page = course.root / "build" / "site" / "lessons" / lesson.stem().concat(".html");
    return fs::exists(page) ? page : lesson;
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
    try {
        return report::render_lesson(build::read_file(course.root / info.lesson), answers,
                                     fmt::format("./headway lesson {} --answers", info.number), style);
    } catch (const std::runtime_error& error) {
        throw CourseError(
            fmt::format("{}. It is part of the course; git checkout -- {} brings it back.", error.what(), info.lesson));
    }
}

int run_lesson(const Course& course, const std::string& exercise, report::Answers answers, ReadWhere where) {
    const ExerciseInfo& info = course.find(exercise);
    if (where == ReadWhere::browser) {
        const fs::path page = page_of(course, info);
        if (!open_in_browser(page))
            fmt::print("No browser could be started here. Open this page:\n\n  file://{}\n", page.string());
        return all_passed;
    }
    show_paged(lesson_text(course, info, answers, terminal_style()));
    return all_passed;
}

}  // namespace headway::cli
