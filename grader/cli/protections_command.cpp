#include "cli/commands.hpp"
#include "grading/whose_code.hpp"
#include "terminal/console.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string>

namespace headway::cli {

/// For ./headway doctor: one line per protection, what is open where it is not whole, and what that means.
int run_protections(const Course& course, bool close) {
    if (close) close_to_other_users(closed_files(course.root, course.toolchain.judge.parent_path()));
    report::Page page(terminal_style());
    bool some_are_absent = false;
    for (const auto& [name, state] : course.machine().protections)
        some_are_absent = some_are_absent || state.starts_with("absent");
    page.paragraph({.indent = 2, .hanging = 2}, {{"the jail here: "},
                                                 {some_are_absent                     ? "none that is whole"
                                                  : course.machine().jail.is_weaker() ? "the weaker one, of containers"
                                                                                      : "the strong one, by bubblewrap",
                                                  report::Tone::strong}});
    for (const auto& [name, state] : course.machine().protections) {
        const std::size_t colon = state.find(": ");
        page.line(2, {{fmt::format("{:<19} {}", name, state.substr(0, colon))}});
        if (colon == std::string::npos) continue;
        std::istringstream reasons(state.substr(colon + 2));
        for (std::string reason; std::getline(reasons >> std::ws, reason, ';');)
            page.paragraph({.indent = 4, .hanging = 2}, {{reason}});
    }
    if (some_are_absent)
        page.paragraph({.indent = 2}, {{"Without these, strangers' code is not run here (grade --submission, class "
                                        "grade), unless you say --unsafe. Your own exercises are graded. A jail needs "
                                        "bubblewrap and namespaces, or a kernel with Landlock."}});
    else if (course.machine().jail.is_weaker())
        page.paragraph({.indent = 2},
                       {{"This is the weaker jail, which containers usually have. Submissions are graded "
                         "in it; the lines above say what it does not stop. The stronger one, by bubblewrap, "
                         "needs a machine, or a container, that may make namespaces. For your own exercises "
                         "this one is enough."}});
    fmt::print("{}", page.take());
    return all_passed;
}

}  // namespace headway::cli
