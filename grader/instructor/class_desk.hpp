#pragma once

#include "instructor/class_commands.hpp"

#include "classroom/grading_run.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/marking_policy.hpp"
#include "gradebook/marks.hpp"
#include "sandbox/descriptor.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// What the class commands have in common.
namespace headway::cli {

/// Only one program at a time grades into a gradebook. The kernel releases the lock if we die.
class GradebookLock {
public:
    /// @throws UsageError if another holds it
    explicit GradebookLock(const std::filesystem::path& gradebook);

private:
    sandbox::Descriptor file_;
};

/// @throws CourseError if the jail is incomplete and nobody said --unsafe
void require_jail(const Course& course, const ClassArguments& arguments);

/// The policy's text; empty where there is none. @throws UsageError if the one asked for cannot be read
std::string policy_text(const ClassArguments& arguments);

std::vector<std::string> exercise_names(const Course& course);

/// @throws UsageError if there is none to open
void require_gradebook(const ClassArguments& arguments);

/// The edition that marks follow. @throws UsageError if nothing is graded yet
gradebook::Edition current_edition(const gradebook::Gradebook& gradebook);

/// @throws UsageError, in words, for what class.toml cannot mean
gradebook::MarkingPolicy parsed_policy(const Course& course, const std::string& text);

/// That of an edition, for the exercises that the course had then. An earlier Headway may have accepted what is refused
/// now. @throws UsageError
gradebook::MarkingPolicy policy_of(const gradebook::Edition& edition);

/// Of everybody: rows without a usable id say what is wrong, until what came in them has come with one.
/// @param enrolled  who is in the class, where that is known
std::vector<gradebook::Mark> all_marks(const gradebook::Gradebook& gradebook, const gradebook::Edition& edition,
                                       std::vector<std::string> enrolled = {});

/// --yes, or somebody at the terminal who answers yes to the question.
bool confirmed(const ClassArguments& arguments, const char* question);

/// Says on standard error that marks do not follow class.toml as it is now.
void tell_of_changed_policy(const ClassArguments& arguments, const gradebook::Edition& edition);

/// Says on standard error which ids in class.toml nobody has.
/// @param enrolled  who is known without having handed in
void tell_of_strangers(const gradebook::Gradebook& gradebook, const gradebook::Edition& edition,
                       const std::vector<std::string>& enrolled);

/// "s01, s02 and 12 more"
std::string named(const std::vector<std::string>& students);

/// Whose marks are open because of an exercise that stands so.
std::vector<std::string> open_marks(const std::vector<gradebook::Mark>& marks, gradebook::Standing standing);

/// How a mark comes about whose time is not known.
inline constexpr const char* next_for_untimed =
    "./headway class times FILE says when, one line per student: id,2026-05-01T12:00:00Z. Or unknown_time in "
    "class.toml says what an unknown time is (not of what Canvas calls late), and ./headway class regrade applies it.";

/// Grades what is pending by the engine that was asked for, with progress on the terminal, until it is done or somebody
/// presses Ctrl-C.
classroom::RunState grade_pending(const Course& course, const ClassArguments& arguments,
                                  gradebook::Gradebook& gradebook, const gradebook::Edition& edition);

/// Grades what is pending by Slurm; see classroom/batch_run.hpp.
classroom::RunState grade_on_slurm(const Course& course, const ClassArguments& arguments,
                                   gradebook::Gradebook& gradebook, const gradebook::Edition& edition);

/// "37 of 120 exercises · 1.4 a second · 1 min left · 2 not for now"
std::string progress_text(const classroom::RunState& state);

}  // namespace headway::cli
