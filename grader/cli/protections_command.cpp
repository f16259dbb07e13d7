#include "cli/commands.hpp"
#include "grading/whose_code.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string>

namespace headway::cli {

/// For ./headway doctor: one line per protection, and what is open where it is not whole.
int run_protections(const Course& course, bool close) {
    if (close) close_to_other_users(closed_files(course.root, course.toolchain.judge.parent_path()));
    for (const auto& [name, state] : course.machine().protections) {
        const std::size_t colon = state.find(": ");
        fmt::print("  {:<19} {}\n", name, state.substr(0, colon));
        if (colon == std::string::npos) continue;
        std::istringstream reasons(state.substr(colon + 2));
        for (std::string reason; std::getline(reasons >> std::ws, reason, ';');)
            fmt::print("    {}\n", reason.substr(0, 76));
    }
    return all_passed;
}

}  // namespace headway::cli
