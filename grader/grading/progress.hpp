#pragma once

#include "grading/course.hpp"

#include "verdict/verdict.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {

/// What was reached in an exercise, and when.
struct Reached {
    std::string when;  ///< ISO 8601, UTC: sorts by time
    verdict::State state = verdict::State::not_started;
    int points = 0;
    int max_points = 0;
};

/// exercises/progress.txt: it lies with the student's own files, so it goes wherever these go. It has one line per
/// step; lines are only ever added and each has its time, so the records of two machines are joined by keeping the
/// lines of both, in any order (git is told to do so in .gitattributes).
std::filesystem::path progress_file(const Course& course);

/// The last step of each exercise, by name. Other lines are skipped: comments, marks of a merge.
std::map<std::string, Reached> read_progress(std::string_view text);
std::map<std::string, Reached> read_progress(const Course& course);

/// Adds a line for each exercise that is not where it last was. @throws std::runtime_error if it cannot be written
void record_progress(const Course& course, const verdict::Verdict& verdict);

/// Adds a line that says that an exercise was reset, if it had got further. @throws std::runtime_error
void record_reset(const Course& course, const std::string& exercise);

/// Where the student is: the last results of this machine, or what another one recorded since.
std::vector<verdict::Exercise> standing(const Course& course);

}  // namespace headway::cli
