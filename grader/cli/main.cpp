// headway: the command of students and instructors. The launcher at the root builds it and hands over to it.
#include "cli/class_commands.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"

#include "sandbox/orphans.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace {

namespace fs = std::filesystem;
using namespace headway::cli;

/// The build that this program belongs to: build/PRESET/bin/headway-cli.
fs::path build_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
}

/// $HEADWAY_ROOT, which the launcher sets, or the checkout that this program was built in.
fs::path course_root() {
    const char* root = std::getenv("HEADWAY_ROOT");
    return root != nullptr && *root != '\0' ? fs::path(root) : build_folder().parent_path().parent_path();
}

template <class Action>
int with_course(Action action) {
    try {
        return action(Course::load(course_root(), build_folder()));
    } catch (const UsageError& error) {
        fmt::print(stderr, "headway: {}\n", headway::verdict::showable(error.what()));
        return wrong_usage;
    } catch (const std::exception& error) {
        fmt::print(stderr, "headway: {}\n", headway::verdict::showable(error.what()));
        return machine_at_fault;
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    headway::sandbox::adopt_orphans();
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
        "Exit status: 0 all passed, 1 some did not, 2 wrong usage, 3 the machine or the\ncourse is at fault.");
    app.get_formatter()->column_width(34);

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
    grade_command->add_flag("--github", grade.github,
                            "In GitHub Actions: annotate lines, write the step summary and points for Classroom");
    grade_command->add_option("--seed", grade.seed, "Seed of the hidden inputs")->type_name("N");
    grade_command->add_flag("--unsafe", grade.unsafe, "Run a stranger's submission even where there is no jail");
    grade_command->add_option("--seed-file", grade.seed_file, "The same from a file, for a seed that is secret")
        ->type_name("FILE");
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
    try_command->add_flag("--reference", try_reference, "With solutions/ in place of your exercises");
    try_command->add_flag("--build-only", build_only, "Print the program's path, to run it under gdb");
    try_command->add_option("arguments", test_arguments, "For GoogleTest, after --")->type_name("ARG");

    VerifyArguments verify;
    auto* verify_command =
        app.add_subcommand("verify", "Prove the course: stubs, solutions, mutants, accepted variants");
    verify_command->add_option("exercises", verify.exercises, "Numbers, such as 03 (default: all)")->type_name("NN");
    verify_command->add_flag("--diagnosis", verify.diagnosis, "Print how each mistake of the catalogue is named");
    verify_command->add_flag(
        "--quick", verify.quick,
        "Leave out the mutants that only prove one more entry of the catalogue; compare none with another");
    verify_command->add_option("--proof", verify.proof, "Write PROOF.md: how each mistake of the catalogue is proven")
        ->type_name("FILE");
    auto* show = verify_command->add_option("--show", verify.show, "Only print the whole program of a mutant");
    show->expected(2)->type_name("NN NAME");
    verify_command->add_option("--expand", verify.expand, "Only write the mutants into a folder, each as a submission")
        ->type_name("DIR")
        ->excludes(show);
    verify_command->add_option("--seed", verify.seed, "Seed of the hidden inputs")->type_name("N");

    auto* protections_command = app.add_subcommand("protections", "")->group("");  // for ./headway doctor
    bool close = false;
    protections_command->add_flag("--close", close, "First close hidden tests and solutions to other users");
    Run run = run_status;
    declare_desk_commands(app, run);
    ClassCommands class_commands(app);
    if (!is_full_edition()) app.get_subcommand("verify")->group("");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError& error) {
        if (app.get_subcommands().empty() && *argv[1] != '-')
            fmt::print(stderr, "headway: there is no command {}; ./headway --help lists them\n", argv[1]);
        else
            app.exit(error);
        return wrong_usage;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? all_passed : wrong_usage;
    }
    return with_course([&](const Course& course) {
        if (grade_command->parsed()) return run_grade(course, grade);
        if (hint_command->parsed()) return run_hint(course, exercise, level);
        if (try_command->parsed())
            return run_try(course, exercise, try_reference ? TryCode::reference : TryCode::own, build_only,
                           test_arguments);
        if (class_commands.chosen()) return class_commands.run(course);
        if (verify_command->parsed()) return run_verify(course, verify);
        if (protections_command->parsed()) return run_protections(course, close);
        return run(course);
    });
}
