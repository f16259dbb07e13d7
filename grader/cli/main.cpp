// headway: the command of students and instructors. The launcher at the root builds it and hands over to it.
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/instructor_commands.hpp"
#include "cli/parse.hpp"
#include "cli/start.hpp"

#include "sandbox/orphans.hpp"
#include "terminal/help.hpp"

#include <csignal>

using namespace headway::cli;

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    headway::sandbox::adopt_orphans();
    if (argc > 1 && is_instructor_command(argv[1])) return become_instructor_program(argv);
    CLI::App app(
        "Headway teaches multi-head attention by having you build it.\n"
        "Without a command: where you are, and what is next.");
    app.name("headway");
    app.set_version_flag("--version", "Headway " HEADWAY_VERSION);
    app.require_subcommand(0, 1);
    app.footer(
        std::string("Also: update (newer course files, yours untouched), doctor (what this machine\nhas and lacks)") +
        (is_full_edition()
             ? ", test (Headway's own tests), new (an exercise or a mutant) and\nrelease (the student's edition).\n"
             : ".\n") +
        "--yes, before or after any of them, installs what is missing without asking.\n"
        "Exit status: 0 all passed, 1 some did not, 2 wrong usage, 3 the machine or the\ncourse is at fault.");
    set_help(app, 34);

    GradeArguments grade;
    auto* grade_command = app.add_subcommand("grade", "Grade your exercises against the hidden tests");
    grade_command->add_option("exercises", grade.exercises, "Numbers, such as 03 (default: all)")->type_name("NN");
    grade_command
        ->add_option("--submission", grade.submission,
                     "What was handed in: a folder, an archive or a file (default: exercises)")
        ->type_name("PATH");
    grade_command->add_option("--json", grade.json, "Write the verdict as JSON; - is standard output")
        ->type_name("FILE");
    grade_command->add_option("--junit", grade.junit, "Write the verdict as JUnit XML; - is standard output")
        ->type_name("FILE");
    grade_command->add_option("--html", grade.html, "Write the verdict as a page to look at; - is standard output")
        ->type_name("FILE");
    grade_command->add_option("--gradescope", grade.gradescope, "Write the verdict as Gradescope's results.json")
        ->type_name("FILE");
    grade_command->add_option("--visible", grade.visible, "With --gradescope: when students see the tests")
        ->check(CLI::IsMember({"visible", "after_due_date", "after_published", "hidden"}))
        ->type_name("WHEN");
    grade_command
        ->add_option("--class", grade.class_toml, "With --gradescope: what exercises count, as class.toml says")
        ->type_name("FILE");
    grade_command
        ->add_option("--code-quality", grade.code_quality, "Write what is wrong in which line as GitLab's report")
        ->type_name("FILE");
    grade_command->add_option("--sarif", grade.sarif, "Write what failed in which line as SARIF; - is standard output")
        ->type_name("FILE");
    grade_command->add_flag("--github", grade.github,
                            "In GitHub Actions: annotate lines, write the step summary and points for Classroom");
    grade_command->add_option("--seed", grade.seed, "Seed of the hidden inputs")->type_name("N");
    grade_command->add_option("--seed-file", grade.seed_file, "Seed from a file, for one that is secret")
        ->type_name("FILE");
    grade_command->add_flag("--unsafe", grade.unsafe, "Run a stranger's submission even where there is no jail");
    grade_command->add_flag("--again", grade.again, "Run the tests even if nothing has changed");
    grade_command->add_flag("-v,--verbose", grade.verbose,
                            "Everything: all properties, all output, the compiler's words");

    std::string exercise;
    int level = 0;
    auto* hint_command = app.add_subcommand("hint", "A hint; ask again for a stronger one");
    hint_command->add_option("exercise", exercise, "Number, such as 03")->required()->type_name("NN");
    hint_command->add_option("--level", level, "That one instead of the next")
        ->check(CLI::Range(1, 99))
        ->type_name("N");

    bool build_only = false;
    std::vector<std::string> test_arguments;
    auto* try_command = app.add_subcommand("try", "Build and run the visible test of one exercise");
    try_command->add_option("exercise", exercise, "Number, such as 03")->required()->type_name("NN");
    bool try_reference = false;
    auto* reference = try_command->add_flag("--reference", try_reference, "With solutions/ in place of your exercises");
    if (!is_full_edition()) reference->group("");  // refused there, with the reason
    try_command->add_flag("--build-only", build_only, "Print the program's path, to run it under gdb");
    try_command->add_option("arguments", test_arguments, "For GoogleTest, after --")->type_name("ARG");

    auto* protections_command = app.add_subcommand("protections", "")->group("");  // for ./headway doctor
    bool close = false;
    protections_command->add_flag("--close", close, "First close hidden tests and solutions to other users");
    Run run = run_status;
    declare_desk_commands(app, run);
    declare_instructor_commands(app);

    if (const auto status = parse(app, argc, argv)) return *status;
    return run_in_course([&](const Course& course) {
        if (grade_command->parsed()) return run_grade(course, grade);
        if (hint_command->parsed()) return run_hint(course, exercise, level);
        if (try_command->parsed())
            return run_try(course, exercise, try_reference ? TryCode::reference : TryCode::own, build_only,
                           test_arguments);
        if (protections_command->parsed()) return run_protections(course, close);
        return run(course);
    });
}
