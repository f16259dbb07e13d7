// The commands around a student's own work, besides grading it.
#include "cli/command_line.hpp"
#include "cli/commands.hpp"

#include <memory>

namespace headway::cli {
namespace {

/// Options live as long as the action that uses them.
struct Options {
    std::string exercise;
    std::vector<std::string> exercises;
    bool reveal = false;
    bool undo = false;
    bool answers = false;
    bool open = false;
    bool polling = false;
    std::string test;
    DebugAs debug_as = DebugAs::session;
    std::string file;
};

/// Adds the command; `run` becomes `action` if it is the one that was typed.
CLI::App* declare(CLI::App& app, const std::string& name, const std::string& purpose, Run& run, Run action) {
    CLI::App* command = app.add_subcommand(name, purpose);
    command->callback([&run, action = std::move(action)] { run = action; });
    return command;
}

void needs_exercise(CLI::App* command, Options& options) {
    command->add_option("exercise", options.exercise, "Number, such as 03")->required()->type_name("NN");
}

}  // namespace

void declare_desk_commands(CLI::App& app, Run& run) {
    const auto options = std::make_shared<Options>();
    auto* watch = declare(
        app, "watch", "Grade an exercise whenever you save it, on one screen", run, [options](const Course& course) {
            return run_watch(course, options->exercise, options->polling ? Notice::polling : Notice::told);
        });
    watch->add_option("exercise", options->exercise, "Number, such as 03 (default: where you are)")->type_name("NN");
    watch->add_flag("--poll", options->polling, "Look twice a second, where the system does not tell of changes");

    auto* lesson =
        declare(app, "lesson", "A lesson: the next one, or that of an exercise", run, [options](const Course& course) {
            return run_lesson(course, options->exercise,
                              options->answers ? report::Answers::shown : report::Answers::hidden,
                              options->open ? ReadWhere::browser : ReadWhere::terminal);
        });
    lesson->add_option("exercise", options->exercise, "Number, such as 03 (default: what to read next)")
        ->type_name("NN");
    lesson->add_flag("--answers", options->answers, "With the answers to its questions");
    lesson->add_flag("--open", options->open, "In the browser");

    auto* reset = declare(
        app, "reset", "Bring the stub back; what you had is kept in backups/", run, [options](const Course& course) {
            return options->undo ? run_undo_reset(course, options->exercise) : run_reset(course, options->exercise);
        });
    needs_exercise(reset, *options);
    reset->add_flag("--undo", options->undo, "Bring back what the last reset put aside");

    auto* diff =
        declare(app, "diff", "Yours beside the solution, once yours passes", run, [options](const Course& course) {
            return run_diff(course, options->exercise, options->reveal ? Reveal::in_any_case : Reveal::if_passed);
        });
    needs_exercise(diff, *options);
    diff->add_flag("--reveal", options->reveal, "Even if yours does not pass");

    auto* others =
        declare(app, "others", "How others wrote it, once yours passes", run, [options](const Course& course) {
            return run_others(course, options->exercise, options->reveal ? Reveal::in_any_case : Reveal::if_passed);
        });
    needs_exercise(others, *options);
    others->add_flag("--reveal", options->reveal, "Even if yours does not pass");

    auto* debug = declare(app, "debug", "Replay a hidden test that failed, on your code, under gdb", run,
                          [options](const Course& course) {
                              return run_debug(course, options->exercise, options->test, options->debug_as);
                          });
    needs_exercise(debug, *options);
    debug->add_option("--test", options->test, "Its name (default: the first that failed)")->type_name("NAME");
    debug->add_flag_callback(
        "--print", [options] { options->debug_as = DebugAs::command; }, "Say how instead of starting gdb");
    debug->add_flag_callback(
        "--as-test", [options] { options->debug_as = DebugAs::test; },
        "Write the call as a test beside your file; ./headway try runs it");

    auto* lab = declare(app, "lab", "Watch your own attention at work; alone: which labs there are", run, {});
    // What follows is the lab's own, --help too.
    lab->set_help_flag();
    lab->prefix_command();
    lab->callback(
        [&run, lab] { run = [words = lab->remaining()](const Course& course) { return run_lab(course, words); }; });

    options->file = "headway-submission.tar.gz";
    auto* pack =
        declare(app, "pack", "Make the archive to hand in, and list what is in it", run,
                [options](const Course& course) { return run_pack(course, options->exercises, options->file); });
    pack->add_option("exercises", options->exercises, "Numbers, such as 03 (default: all you wrote)")->type_name("NN");
    pack->add_option("--output", options->file, "The archive: .tar.gz, .tgz or .zip")
        ->type_name("FILE")
        ->capture_default_str();
}

}  // namespace headway::cli
