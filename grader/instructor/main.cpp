// The commands of instructors and authors, class and verify, to which headway-cli hands over.
#include "cli/parse.hpp"
#include "cli/start.hpp"
#include "instructor/class_commands.hpp"
#include "instructor/verify_command.hpp"

#include "sandbox/orphans.hpp"
#include "terminal/help.hpp"

#include <csignal>

using namespace headway::cli;

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    headway::sandbox::adopt_orphans();
    CLI::App app;
    app.name("headway");
    app.require_subcommand(1);
    set_help(app, 34);
    VerifyArguments verify;
    const CLI::App* verify_command = declare_verify(app, verify);
    const ClassCommands class_commands(app);

    if (const auto status = parse(app, argc, argv)) return *status;
    return run_in_course([&](const Course& course) {
        return verify_command->parsed() ? run_verify(course, verify) : class_commands.run(course);
    });
}
