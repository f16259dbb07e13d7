#pragma once

#include "intake/file_tree.hpp"

#include "submission/submission.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headway::intake {

/// Who says when something was handed in.
enum class TimeFrom { platform, person };

/// What one student handed in, not read yet.
struct HandIn {
    std::string student;
    std::vector<std::filesystem::path> paths;  ///< a folder, an archive, or files, with archives among them
    std::vector<std::string> names;            ///< of such files, as the student called them
    std::optional<std::string> submitted;      ///< ISO 8601, UTC, where it is known
    TimeFrom time_from = TimeFrom::platform;
    std::string note;
    std::string problem;  ///< why nothing of it can be read
};

/// What a folder of hand-ins may be: an export of Moodle, Canvas or Gradescope, or one folder or archive per student.
enum class ExportFormat { moodle, canvas, gradescope, plain };
std::string to_string(ExportFormat format);
/// As --layout calls it: "moodle", "canvas", "gradescope" or "plain".
std::string name_of(ExportFormat format);
/// The other way round. @throws std::runtime_error if there is none of that name
ExportFormat format_called(const std::string& name);

/// How to find out whose a submission is.
struct Naming {
    /// Applied to the name of each file or folder; its first group is the id. Empty: the export decides, see
    /// format_of().
    std::string pattern;
    std::map<std::string, std::string> times;  ///< id -> when; goes before what the export says
    std::optional<ExportFormat> format = {};   ///< what somebody says that the folder is
};

/// By the names in it, of which files that are no hand-in take no part; a Gradescope export has a
/// submission_metadata.yml.
ExportFormat format_of(const std::filesystem::path& folder);

/// Everything in `folder`, sorted by student.
/// @throws std::runtime_error if the folder cannot be read, or is not what `naming` says
std::vector<HandIn> find_hand_ins(const std::filesystem::path& folder, const Naming& naming);

/// Names in `folder` of which find_hand_ins() takes no notice: what begins with a dot, and files that are no archive,
/// no source, and not named as the export names hand-ins. Sorted.
std::vector<std::string> left_out(const std::filesystem::path& folder, const Naming& naming);

/// Names in `folder` of what Canvas's made-up student handed in, which find_hand_ins() leaves out, too. Sorted.
std::vector<std::string> of_test_student(const std::filesystem::path& folder, const Naming& naming);

/// An exercise of the course, and what its files are called.
struct Wanted {
    std::string exercise;                 ///< "03_scaled_scores"
    std::filesystem::path course_folder;  ///< exercises/03_scaled_scores
};

/// The sources of each exercise that was handed in.
/// @throws Malformed if there are none, or it is not clear which they are
std::vector<build::Submission> read_hand_in(const HandIn& hand_in, const std::vector<Wanted>& wanted);

/// One line per student: id, comma or semicolon, a time that utc() reads. The first line may be a heading: it has no
/// digit where the time would be. @throws std::runtime_error naming the line, also if a student has two times, or one
/// that has not come yet
std::map<std::string, std::string> read_times(const std::filesystem::path& file);

/// ISO 8601 in UTC from what exports write: "2024-05-01 14:00:00.5 +0200", "2024-05-01T12:00:00Z". Nothing where the
/// date or the time does not exist.
std::optional<std::string> utc(const std::string& text);

/// Seconds since 1970 of what utc() gives.
std::int64_t seconds_of(const std::string& utc);
/// And back.
std::string utc_of(std::int64_t seconds);

/// Nothing was handed in tomorrow: such a time is mistyped, and would be a zero for being late. Clocks may differ by an
/// hour. @param where  what says so, for the message: "times.csv, line 3"
/// @throws std::runtime_error if the time has not come yet
void require_past(const std::string& time, const std::string& where);

}  // namespace headway::intake
