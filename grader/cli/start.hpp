#pragma once

#include "grading/course.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>

/// How a program of ours begins: what was typed is read, and the course that it is about is found.
namespace headway::cli {

/// @return the exit status, if what was typed asked for help or was wrong, which has been said
std::optional<int> parse(CLI::App& app, int argc, char** argv);

/// Loads the course and runs what was asked for in it; what is thrown is said. @return the exit status
int run_in_course(const std::function<int(const Course&)>& action);

}  // namespace headway::cli
