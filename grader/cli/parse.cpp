#include "cli/parse.hpp"

#include "terminal/exit_status.hpp"

#include <fmt/format.h>

namespace headway::cli {

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ExtrasError& error) {
        if (app.get_subcommands().empty() && *argv[1] != '-')
            fmt::print(stderr, "headway: there is no command {}; ./headway --help lists them\n", argv[1]);
        else
            app.exit(error);
        return wrong_usage;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? all_passed : wrong_usage;
    }
}

}  // namespace headway::cli
