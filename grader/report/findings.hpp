#pragma once

#include "verdict/verdict.hpp"

#include <optional>
#include <string>
#include <vector>

/// What is wrong, by place: for platforms that show it beside the lines of a file.
namespace headway::report {

struct Finding {
    std::string exercise;  ///< "03_scaled_scores"
    std::string file;      ///< below the exercise's folder; as the submission claims, but always below it
    int line = 1;
    std::string title;
    std::string message;  ///< a line for each thing that is wrong there
};

/// One for each line of a file with which something is wrong, those that explain most first, since platforms show no
/// more than a few: what does not build and mistakes with a name, then other failures. Each stands where the error was
/// seen (an error of the compiler's, a throw, a crash, a loop); else where the function in question is defined; and
/// where not even that is known, at the beginning of the file.
std::vector<Finding> findings(const verdict::Verdict& verdict);

/// A file, and a line of it where one is known.
struct Location {
    std::string file;  ///< below the exercise's folder, as Finding::file
    std::optional<int> line = {};
};

/// Where a test that failed is told, by the same rule: where the error was seen, else where the function in question is
/// defined, else the file that the exercise asks for.
Location location_of(const verdict::Exercise& exercise, const verdict::Test& test);

/// The same of a build that failed: where its first error stands.
Location location_of(const verdict::Exercise& exercise, const verdict::Compilation& build);

}  // namespace headway::report
