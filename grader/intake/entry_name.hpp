#pragma once

#include <optional>
#include <string>

namespace headway::intake {

/// What the name of a file or folder in an export tells.
struct EntryName {
    std::string student;
    std::string file;             ///< the name that the student gave it, where the export keeps it
    std::string note;             ///< what the instructor should know; mostly nothing
    std::string person = {};      ///< what stands before the number, where a number tells the student
    bool has_others = false;      ///< the number may also stand further behind: people choose names, and files' names
    bool is_online_text = false;  ///< what was typed into Moodle's editor
};

/// Moodle: "Ada Lovelace_4711_assignsubmission_file_" (a folder, or the start of a file's name). The number is the
/// participant, which Moodle's grading worksheet calls "Participant 4711". Where more than one place fits, nobody can
/// say which is Moodle's: people choose their names, and their files' names. Then the student is the whole name.
std::optional<EntryName> moodle_name(const std::string& name);

/// The note on what Canvas calls late. It says no more: neither how late, nor by which deadline.
inline constexpr const char* late_on_canvas = "late, says Canvas";

/// Canvas: "lovelaceada_LATE_815_90210_exercises-1.zip". The first number is the user, "ID" in Canvas's gradebook; that
/// of "eve_815_90210_902_79_exercises.zip" may be 902, whom somebody called "eve_815_90210" is.
std::optional<EntryName> canvas_name(const std::string& name);

/// Whether Canvas made this student up: "Student, Test", whom teachers become to try an assignment out.
bool is_canvas_test_student(const EntryName& name);

/// Anything else: the name itself, without the ending of an archive (see file_tree.hpp).
EntryName plain_name(const std::string& name);

}  // namespace headway::intake
