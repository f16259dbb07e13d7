#include "cli/instructor_commands.hpp"

#include "cli/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

struct Command {
    const char* name;
    const char* purpose;
};

constexpr Command commands[] = {
    {"verify", verify_purpose},
    {"class", class_purpose},
};

}  // namespace

bool is_full_edition() { return HEADWAY_FULL_EDITION != 0; }

void declare_instructor_commands(CLI::App& app) {
    for (const auto& [name, purpose] : commands)
        app.add_subcommand(name, purpose)->group(is_full_edition() ? "Subcommands" : "");
}

bool is_instructor_command(const std::string& name) {
    return std::ranges::any_of(commands, [&](const Command& command) { return name == command.name; });
}

int become_instructor_program(char** argv) {
    if (!is_full_edition()) {
        fmt::print(stderr,
                   "headway: {} needs the full edition, and this is the student's. Your own work needs none of it.\n",
                   argv[1]);
        return wrong_usage;
    }
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "headway-instructor";
    execv(program.c_str(), argv);
    fmt::print(stderr, "headway: {} is a program that is not built yet; ./headway {} builds it and starts it\n",
               argv[1], argv[1]);
    return machine_at_fault;
}

}  // namespace headway::cli
