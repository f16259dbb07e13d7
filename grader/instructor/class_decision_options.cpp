// What the commands are called with by which a person decides about attempts and marks.
#include "instructor/class_commands.hpp"

namespace headway::cli {

void ClassCommands::add_student(CLI::App* command) {
    command->add_option("student", arguments_.student, "Id")->required()->type_name("ID");
}

void ClassCommands::add_reason(CLI::App* command) {
    command->add_option("--author", arguments_.author, "Who decides")->required()->type_name("NAME");
    command->add_option("--reason", arguments_.reason, "Why")->required()->type_name("TEXT");
}

void ClassCommands::add_times() {
    auto* command = add("times", "Say when students handed in what is in the gradebook already", run_class_times);
    command->add_option("file", arguments_.times, "One line per student: id,time; or Moodle's grading worksheet")
        ->required()
        ->type_name("FILE");
    add_zone(command);
}

void ClassCommands::add_zone(CLI::App* command) {
    command
        ->add_option("--zone", arguments_.zone,
                     "Whose clock the times in Moodle's worksheet are on: Europe/Berlin, +02:00, UTC")
        ->type_name("ZONE");
}

void ClassCommands::add_attempts() {
    add_student(add("attempts", "List what a student handed in, when, and what each would count", run_class_attempts));
}

void ClassCommands::add_adjust() {
    auto* adjust = add("adjust", "Add points to a mark, take some, or set it, with a reason", run_class_adjust);
    add_student(adjust);
    adjust->add_option("exercise", arguments_.exercise, "Number, such as 03 (default: the total)")->type_name("NN");
    auto* what = adjust->add_option_group("One of these")->require_option(1);
    what->add_option("--points", arguments_.points, "So many more, such as 1.5 or -2; never below 0 in all")
        ->type_name("N");
    what->add_option("--set", arguments_.set, "The mark is N, whatever the rest says")->type_name("N");
    what->add_flag("--unset", arguments_.unset, "It is no longer set");
    add_reason(adjust);
}

void ClassCommands::add_removal() {
    auto* remove = add("remove", "An attempt, or a student, counts no more; nothing is deleted", run_class_remove);
    auto* restore = add("restore", "What was removed counts again", run_class_restore);
    for (CLI::App* command : {remove, restore}) {
        add_student(command);
        command->add_option("attempt", arguments_.attempt, "Number, from class attempts ID (default: the student)")
            ->check(CLI::PositiveNumber)
            ->type_name("ATTEMPT");
        add_reason(command);
    }
}

void ClassCommands::add_pins() {
    auto* pin = add("pin", "Choose the attempt that counts, whatever class.toml says", run_class_pin);
    auto* unpin = add("unpin", "class.toml says again which attempt counts", run_class_unpin);
    add_student(pin);
    pin->add_option("attempt", arguments_.attempt, "Number, from class attempts ID")
        ->required()
        ->check(CLI::PositiveNumber)
        ->type_name("ATTEMPT");
    add_student(unpin);
    for (CLI::App* command : {pin, unpin}) {
        command->add_option("exercise", arguments_.exercise, "Number, such as 03 (default: all)")->type_name("NN");
        add_reason(command);
    }
}

void ClassCommands::add_times_of_attempts() {
    auto* set = add("set-time", "Say when one attempt was handed in, be it the last or not", run_class_set_time);
    auto* unset = add("unset-time", "What was said before of an attempt's time holds again", run_class_unset_time);
    for (CLI::App* command : {set, unset}) {
        add_student(command);
        command->add_option("attempt", arguments_.attempt, "Number, from class attempts ID")
            ->required()
            ->check(CLI::PositiveNumber)
            ->type_name("ATTEMPT");
        add_reason(command);
    }
    set->add_option("time", arguments_.time, "Such as 2026-05-01T14:00:00+02:00; without an offset, UTC")
        ->required()
        ->type_name("TIME");
}

void ClassCommands::add_forget() {
    auto* forget = add("forget", "Delete all that is known of a student, for good", run_class_forget);
    add_student(forget);
    forget->add_flag("--yes", arguments_.yes, "Without asking");
}

}  // namespace headway::cli
