// What the student's edition has not: it is declared all the same, so that it can say so.
#include "cli/class_commands.hpp"
#include "cli/commands.hpp"

#include <fmt/format.h>

namespace headway::cli {
namespace {

[[noreturn]] void needs_full_edition(const char* command) {
    throw UsageError(
        fmt::format("{} needs the full edition, and this is the student's. Your own work needs none of it.", command));
}

}  // namespace

bool is_full_edition() { return false; }

ClassCommands::ClassCommands(CLI::App& app) : class_(app.add_subcommand("class", "")->group("")) {
    class_->prefix_command();
}

int ClassCommands::run(const Course&) const { needs_full_edition("class"); }

int run_verify(const Course&, const VerifyArguments&) { needs_full_edition("verify"); }

}  // namespace headway::cli
