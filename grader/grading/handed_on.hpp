#pragma once

#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace headway::cli {

/// What an exercise's headers declare.
struct AskedFor {
    std::set<std::string> functions;
    /// Those that the header lets refuse what the student's own functions do not ask of them: its comment says
    /// "std::invalid_argument, if your own ...".
    std::set<std::string> may_refuse;
};
AskedFor asked_for(const std::filesystem::path& course_folder);

/// Says of a function that threw within another one that the exercise asks for, of which nothing is found wrong: what
/// it hands on is what does not fit, or the other one may not refuse that.
void tell_what_is_handed_on(verdict::Exercise& exercise, const AskedFor& asked,
                            const std::vector<build::SourceFile>& files);

}  // namespace headway::cli
