#pragma once

#include "cli/class_commands.hpp"

#include "classroom/grading_run.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/marking_policy.hpp"
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

/// @throws UsageError if the gradebook is not there
void require_gradebook(const ClassArguments& arguments);

/// The edition that marks follow. @throws UsageError if nothing is graded yet
gradebook::Edition current_edition(const gradebook::Gradebook& gradebook);

/// @throws CourseError if the jail is incomplete and nobody said --unsafe
void require_jail(const Course& course, const ClassArguments& arguments);

/// The policy's text; empty where there is none. @throws UsageError if the one asked for cannot be read
std::string policy_text(const ClassArguments& arguments);

std::vector<std::string> exercise_names(const Course& course);

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
