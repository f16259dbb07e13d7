#include "labs/frame/arguments.hpp"

#include "labs/frame/program.hpp"
#include "terminal/exit_status.hpp"
#include "terminal/help.hpp"

#include <cstdio>

namespace headway::lab {

void declare(CLI::App& app, CommonArguments& arguments, const std::string& lab) {
    app.name("./headway lab " + lab);
    cli::set_help(app, 30);
    app.footer(std::string("Also: ") + (has_solutions() ? "--reference (the solutions' code),\n" : "") +
               "--submission DIR (another folder of exercises).\n"
               "Exit status: 0 done, 1 an exercise is not done yet, 2 wrong usage, 3 the machine\n"
               "or the course is at fault, 130 stopped by Ctrl-C.");
    app.add_option("--output", arguments.output, "Folder of the pictures (default: lab-results/" + lab + ")")
        ->type_name("DIR")
        ->take_last();  // ./headway gives the default
    app.add_option("--json", arguments.json, "Write the numbers behind the pictures; - is standard output")
        ->type_name("FILE");
    app.add_flag("--quick", arguments.quick, "Smaller, in seconds");
}

int parse_and_run(CLI::App& app, int argc, char** argv, const std::function<void()>& lab) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        const std::string told = std::string("headway: ") + error.what() + "; more: " + app.get_name() + " --help\n";
        std::fputs(told.c_str(), stderr);
        return cli::wrong_usage;
    }
    return run(lab);
}

}  // namespace headway::lab
