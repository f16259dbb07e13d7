#include "class_commands.hpp"

namespace headway::cli {

ClassCommands::ClassCommands(CLI::App& app) : class_(app.add_subcommand("class", "Grade a class: for instructors")) {
    class_->require_subcommand(1);

    auto* grade = add("grade", "Grade what a class handed in, and keep it in a gradebook", run_class_grade);
    grade
        ->add_option("folder", arguments_.folder,
                     "One folder or archive a student; an export of Moodle, Canvas or Gradescope")
        ->required()
        ->type_name("DIR");
    grade
        ->add_option("--student-id", arguments_.student_id,
                     "Regular expression; its first group, in the name of a folder or file, is the student's id")
        ->type_name("PATTERN");
    grade->add_option("--times", arguments_.times, "When each student handed in: lines of id,time")->type_name("FILE");
    add_running_options(grade);
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
    command->add_option("--jobs", arguments_.jobs, "How many to grade at once (default: one a processor)")
        ->check(CLI::Range(1, 256))
        ->type_name("N");
    command->add_flag("--unsafe", arguments_.unsafe, "Run strangers' code where the jail is incomplete");
}

int ClassCommands::run(const Course& course) const { return action_(course, arguments_); }

}  // namespace headway::cli
