#pragma once

#include <CLI/CLI.hpp>

#include <optional>

namespace headway::cli {

/// @return the exit status, if what was typed asked for help or was wrong, which has been said
std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace headway::cli
