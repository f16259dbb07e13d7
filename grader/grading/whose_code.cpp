#include "grading/whose_code.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// The first reason that a protection has for not being there.
std::string why_no_jail(const sandbox::Survey& machine) {
    const std::string& state = machine.protections.at("no_host_files");
    return state.starts_with("absent: ") ? state.substr(8) : state;
}

}  // namespace

bool is_own(const Course& course, const fs::path& code) {
    std::error_code ignored;
    for (const char* folder : {"exercises", "solutions", "stubs"})
        if (fs::equivalent(code, course.root / folder, ignored)) return true;
    return false;
}

void see_to_the_jail(const Course& course, const fs::path& submission, sandbox::Unsafe unsafe) {
    const sandbox::Survey& machine = course.machine();
    if (!is_own(course, submission)) {
        try {
            sandbox::require_jail(machine, unsafe);
        } catch (const std::runtime_error& error) {
            throw CourseError(fmt::format("{}: {}", submission.string(), error.what()));
        }
    }
    if (!machine.jail.exists())
        fmt::print(stderr,
                   "headway: there is no jail here ({}), so what is graded now runs with all your rights. "
                   "./headway doctor says what to install.\n",
                   why_no_jail(machine));
}

std::vector<fs::path> closed_files(const fs::path& root, const fs::path& programs) {
    std::vector<fs::path> closed{root / "solutions", root / "tests"};
    // Sources, and what is built from them: right answers as machine code will do for who wants to copy them.
    std::vector<fs::path> builds{root, programs.parent_path()};
    std::error_code ignored;
    for (const auto& build : fs::directory_iterator(root / "build", ignored)) builds.push_back(build.path());
    for (const fs::path& build : builds)
        for (const char* part :
             {"grader/suites", "grader/reference", "grader/diagnosis", "grader/judge", "tests", "CMakeFiles"})
            closed.push_back(build / part);
    for (const fs::path& folder : {programs, root / "grader" / "compiled"})
        for (const char* program : {"headway-judge", "headway-attention"}) closed.push_back(folder / program);
    std::erase_if(closed, [](const fs::path& path) { return !fs::exists(path); });
    return closed;
}

void close_to_other_users(const std::vector<fs::path>& files) {
    for (const fs::path& file : files)
        fs::permissions(file, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove);
}

}  // namespace headway::cli
