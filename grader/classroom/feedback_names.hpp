#pragma once

#include <optional>
#include <string>
#include <vector>

/// What a student's page is called in a zip that a platform reads back: it finds the student by the name alone.
/// Students name their files: where a name could do harm, only the platform's numbers are left of it.
namespace headway::classroom {

/// Moodle, "Upload multiple feedback files in a zip": the folder that the hand-in came in, or one with the
/// participant's number, which is all that Moodle looks at [moodle/mod/assign/feedback/file/importziplib.php].
/// @param entries  what the student's hand-ins came as, the newest first
/// @param number   the participant, if no entry tells; may be empty
/// @return "Ada Lovelace_4711_assignsubmission_file_/feedback.html"; nothing if no participant is known
std::optional<std::string> moodle_feedback_name(const std::vector<std::string>& entries, const std::string& number);

/// Canvas, "Upload Submissions": the name of the file that was handed in, which holds the user and the file's number
/// [canvas-lms/app/models/abstract_assignment.rb, infer_comment_context_from_filename].
/// @return "adalovelace_815_90210_exercises.html"; nothing if Canvas gave none of them its name
std::optional<std::string> canvas_feedback_name(const std::vector<std::string>& entries);

}  // namespace headway::classroom
