#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>

namespace headway::lab {

/// What every lab can be told.
struct CommonArguments {
    std::string output;  ///< folder of the pictures
    std::optional<std::string> json;
    bool quick = false;
};
void declare(CLI::App& app, CommonArguments& arguments, const std::string& lab);

/// The whole of a lab's main. @return its exit status
int parse_and_run(CLI::App& app, int argc, char** argv, const std::function<void()>& lab);

}  // namespace headway::lab
