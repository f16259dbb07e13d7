#include "cli/parse.hpp"

#include "terminal/exit_status.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace headway::cli {
namespace {

/// What was typed of the command and its commands: "./headway class grade".
std::string typed(const CLI::App& app) {
    std::string words = "./headway";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
        at = at->get_subcommands().front();
        words += " " + at->get_name();
    }
    return words;
}

std::string in_words(const CLI::App& app, const CLI::ParseError& error, char** argv) {
    const std::string command = typed(app);
    if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error)) {
        if (app.get_subcommands().empty() && *argv[1] != '-')
            return fmt::format("there is no command {}; ./headway --help lists them", argv[1]);
        const std::string text = extras->what();
        return fmt::format("{} does not know{}; {} --help lists what it does", command, text.substr(text.find(':') + 1),
                           command);
    }
    if (error.what() == std::string("exercise is required"))
        return fmt::format("which exercise? Give its number, such as {} 03", command);
    return fmt::format("{}; more: {} --help", error.what(), command);
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error) == 0 ? all_passed : wrong_usage;
        std::fputs(("headway: " + in_words(app, error, argv) + "\n").c_str(), stderr);
        return wrong_usage;
    }
}

}  // namespace headway::cli
