#pragma once

#include "grading/course.hpp"

#include <CLI/CLI.hpp>

#include <functional>

namespace headway::cli {

/// What was asked for on the command line.
using Run = std::function<int(const Course&)>;

/// watch, lesson, reset, diff, debug, pack: each sets `run` if it is typed.
void declare_desk_commands(CLI::App& app, Run& run);

}  // namespace headway::cli
