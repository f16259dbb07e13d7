#pragma once

#include <CLI/CLI.hpp>

#include <string>

/// The commands of instructors and authors are a program of their own, which no student has to wait for
/// (grader/instructor).
namespace headway::cli {

/// What each is for, as --help of both programs says it.
inline constexpr const char* verify_purpose = "Prove the course: stubs, solutions, mutants, accepted variants";
inline constexpr const char* class_purpose = "Grade a class: for instructors";

/// Lists them for --help.
void declare_instructor_commands(CLI::App& app);

bool is_instructor_command(const std::string& name);

/// Becomes that program. @return the exit status, if it cannot
int become_instructor_program(char** argv);

}  // namespace headway::cli
