#include "instructor/class_commands.hpp"
#include "instructor/export_tables.hpp"

#include "cli/instructor_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace headway::cli {
namespace {

/// A task that ends at once costs the cluster more than it does. Only tests may set it lower.
std::size_t least_shard_size() {
    const char* least = std::getenv("HEADWAY_TEST_LEAST_SHARD");
    return least != nullptr && *least != '\0' ? std::strtoull(least, nullptr, 10) : 50;
}

}  // namespace

ClassCommands::ClassCommands(CLI::App& app) : class_(app.add_subcommand("class", class_purpose)) {
    class_->require_subcommand(1);

    add_grade();
    add_times();
    add_regrade();
    add_attempts();
    add_adjust();
    add_removal();
    add_pins();
    add_times_of_attempts();
    add_forget();
    add_export();
    add_report();
    add_work_shard();
}

void ClassCommands::add_grade() {
    auto* grade = add("grade", "Grade what a class handed in, and keep it in a gradebook", run_class_grade);
    grade
        ->add_option("folder", arguments_.folder,
                     "One folder or archive per student; an export of Moodle, Canvas or Gradescope")
        ->required()
        ->type_name("DIR");
    grade
        ->add_option("--student-id", arguments_.student_id,
                     "Regular expression; its first group, in the name of a folder or file, is the student's id")
        ->type_name("PATTERN");
    grade
        ->add_option("--layout", arguments_.layout,
                     "What the folder is: moodle, canvas, gradescope, plain (default: by the names in it)")
        ->check(CLI::IsMember({"moodle", "canvas", "gradescope", "plain"}))
        ->type_name("LAYOUT");
    grade
        ->add_option("--times", arguments_.times,
                     "When each student handed in: one line per student, id,time; or Moodle's grading worksheet")
        ->type_name("FILE");
    add_zone(grade);
    add_running_options(grade);
}

void ClassCommands::add_regrade() {
    auto* regrade = add("regrade", "Grade again after tests or policy have changed; shows who would gain or lose",
                        run_class_regrade);
    regrade->add_flag("--yes", arguments_.yes, "Apply it without asking");
    regrade->add_flag("--undo", arguments_.undo, "Marks follow again what they followed before the last regrade");
    add_running_options(regrade);
}

void ClassCommands::add_export() {
    auto* command = add("export", "Write marks and feedback for people and other programs", run_class_export);
    std::vector<std::string> formats = names_of_tables();
    const std::string tables = fmt::format("{}", fmt::join(formats, ", "));
    for (const char* other : {"gradescope", "junit", "feedback", "moodle-feedback", "canvas-feedback", "jplag"})
        formats.emplace_back(other);
    command
        ->add_option("format", arguments_.format,
                     tables +
                         ": marks in a file; gradescope, junit: a folder with a file per student; feedback: a folder "
                         "with a page per student; moodle-feedback, canvas-feedback: a zip of these pages; jplag: the "
                         "sources, for JPlag")
        ->required()
        ->check(CLI::IsMember(formats))
        ->type_name("FORMAT");
    command->add_option("path", arguments_.folder, "The file, or the folder for files")->required()->type_name("PATH");
    const std::string with_columns = fmt::format("{}", fmt::join(names_of_tables_with_columns(), ", "));
    command
        ->add_option("--assignment", arguments_.assignment,
                     with_columns + ": what the assignment or grade item is called (Headway)")
        ->type_name("NAME");
    command->add_flag("--per-exercise", arguments_.per_exercise,
                      with_columns + ": an assignment or grade item per exercise, not one for all");
    command
        ->add_option("--visible", arguments_.visible,
                     "gradescope: when students see the results (visible: at once; after_due_date; after_published; "
                     "hidden)")
        ->check(CLI::IsMember({"visible", "after_due_date", "after_published", "hidden"}))
        ->type_name("WHEN");
    add_roster(command);
    command->footer(
        "Exit status: 0, everybody is in it with a mark; 1, somebody is left out or has no mark because a hand-in "
        "could not be read, or its time is not known, or a platform cannot place the page; 2, wrong usage; 3, "
        "something is not graded yet.");
}

void ClassCommands::add_report() {
    auto* command = add("report", "Write pages about the class, to open in a browser", run_class_report);
    command->add_option("folder", arguments_.folder, "Where (default: report)")->type_name("DIR");
    command
        ->add_option(
            "--compare", arguments_.compare,
            "Hand-ins of last year or of another group, in any layout, to look for copies from; may be repeated")
        ->type_name("DIR")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_roster(command);
}

void ClassCommands::add_roster(CLI::App* command) {
    command
        ->add_option("--roster", arguments_.roster,
                     "Who is in the class: a CSV of Moodle, Canvas, Brightspace or Gradescope, or id,name,section "
                     "(default: roster.csv beside the gradebook)")
        ->type_name("FILE");
}

void ClassCommands::add_work_shard() {
    auto* command = add("work-shard", "", run_class_work_shard)->group("");  // for array tasks, not for people
    command->add_option("folder", arguments_.folder, "The shard")->required()->type_name("DIR");
    add_jobs(command);
}

CLI::App* ClassCommands::add(const char* name, const char* description, Action action) {
    CLI::App* command = class_->add_subcommand(name, description);
    command->add_option("--gradebook", arguments_.gradebook, "The gradebook (default: gradebook.sqlite, here)")
        ->type_name("FILE");
    command->callback([this, action] { action_ = action; });
    return command;
}

void ClassCommands::add_running_options(CLI::App* command) {
    command
        ->add_option("--policy", arguments_.policy, "How marks come about (default: class.toml beside the gradebook)")
        ->type_name("FILE");
    add_jobs(command);
    add_slurm_options(command);
}

void ClassCommands::add_jobs(CLI::App* command) {
    command
        ->add_option("--jobs", arguments_.jobs,
                     "How many to grade at once (default: processors + 1; with Slurm: 1 a task)")
        ->check(CLI::Range(1, 256))
        ->type_name("N");
    command->add_flag("--unsafe", arguments_.unsafe, "Run strangers' code where the jail is incomplete");
}

void ClassCommands::add_slurm_options(CLI::App* command) {
    const std::string group = "On a cluster";
    command->add_option("--engine", arguments_.engine, "local, or slurm: array jobs (default: local)")
        ->check(CLI::IsMember({"local", "slurm"}))
        ->type_name("ENGINE")
        ->group(group);
    command->add_option("--partition", arguments_.partition, "Slurm's partition")->type_name("NAME")->group(group);
    command->add_option("--account", arguments_.account, "Slurm's account")->type_name("NAME")->group(group);
    command->add_option("--shard-size", arguments_.shard_size, "Hand-ins a task, 50 to 500 (default: 100)")
        ->check(CLI::Range(least_shard_size(), std::size_t{500}))
        ->type_name("N")
        ->group(group);
    command
        ->add_option("--most-queued", arguments_.most_queued,
                     "Tasks in the queue at once (default: half of the site's MaxJobCount)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N")
        ->group(group);
    command->add_option("--poll", arguments_.poll_seconds, "Seconds between two looks at the queue (default: 10)")
        ->check(CLI::Range(1, 3600))
        ->type_name("SECONDS")
        ->group(group);
    command->add_option("--sbatch", arguments_.sbatch, "One more argument of sbatch, as in --sbatch=--time=04:00:00")
        ->type_name("ARGUMENT")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group(group);
}

int ClassCommands::run(const Course& course) const { return action_(course, arguments_); }

}  // namespace headway::cli
