#include "cli/start.hpp"

#include "terminal/exit_status.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// The build that this program belongs to: build/PRESET/bin/headway-cli.
fs::path build_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
}

/// $HEADWAY_ROOT, which the launcher sets, or the checkout that this program was built in.
fs::path course_root() {
    const char* root = std::getenv("HEADWAY_ROOT");
    return root != nullptr && *root != '\0' ? fs::path(root) : build_folder().parent_path().parent_path();
}

}  // namespace

int run_in_course(const std::function<int(const Course&)>& action) {
    try {
        return action(Course::load(course_root(), build_folder()));
    } catch (const UsageError& error) {
        fmt::print(stderr, "headway: {}\n", verdict::showable(error.what()));
        return wrong_usage;
    } catch (const std::exception& error) {
        fmt::print(stderr, "headway: {}\n", verdict::showable(error.what()));
        return machine_at_fault;
    }
}

}  // namespace headway::cli
