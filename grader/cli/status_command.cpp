#include "cli/commands.hpp"
#include "grading/progress.hpp"
#include "terminal/console.hpp"

#include "report/terminal.hpp"

#include <fmt/format.h>

namespace headway::cli {

int run_status(const Course& course) {
    fmt::print("{}", report::render_status(standing(course), terminal_style()));
    return all_passed;
}

}  // namespace headway::cli
