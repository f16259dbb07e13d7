#include "cli/commands.hpp"
#include "cli/own_program.hpp"
#include "cli/reproducer.hpp"
#include "grading/folder_lock.hpp"
#include "grading/grading.hpp"
#include "grading/judge.hpp"
#include "terminal/console.hpp"
#include "terminal/shell_words.hpp"

#include "build/workspace.hpp"
#include "submission/digest.hpp"
#include "terminal/page.hpp"
#include "wire/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using build::Build;
using verdict::Test;
using verdict::TestState;

verdict::Exercise graded(const Course& course, const ExerciseInfo& info) {
    GradingOptions options;
    options.submission = course.root / "exercises";
    options.exercises = {&info};
    options.seed = default_seed;
    ProgressLine progress;
    options.progress = [&progress](const std::string& step) { progress.show(step); };
    return grade(course, options).exercises.front();
}

/// The one that was named, else the first that failed; nothing if none did.
const Test* chosen(const verdict::Exercise& exercise, const std::string& name) {
    std::string failed;
    for (const Test& test : exercise.tests) {
        if (test.state != TestState::failed) continue;
        if (name.empty() || test.name == name) return &test;
        failed += "\n  " + test.name;
    }
    if (name.empty()) return nullptr;
    throw UsageError(fmt::format("no test {} failed. {}", name,
                                 failed.empty() ? "None did." : "These did, and can be replayed:" + failed));
}

std::vector<wire::Call> read_calls(const fs::path& file) {
    const sandbox::Descriptor frames(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<wire::Call> calls;
    while (const auto frame = wire::read_frame(frames.get())) calls.push_back(wire::decode_call(*frame));
    return calls;
}

/// A test of one exercise that failed, and what it asked, ready to be asked again.
struct Replay {
    fs::path worker;
    fs::path calls_file;
    Build build = Build::plain;
    std::vector<wire::Call> calls;
};

/// How the failing call is reached in gdb: a breakpoint at the student's function, passed as often as it was called
/// before.
std::vector<std::string> gdb_command(const Course& course, const Replay& replay) {
    const auto& calls = replay.calls;
    const std::string& function = calls.back().function;
    const auto earlier = std::count_if(calls.begin(), calls.end() - 1,
                                       [&](const wire::Call& call) { return call.function == function; });
    const char* memory = replay.build == Build::plain ? "set environment MALLOC_PERTURB_ 1"
                                                      : "set environment ASAN_OPTIONS detect_leaks=0:abort_on_error=1";
    return {"gdb",      "-q",
            "-ex",      "source " + (course.root / "tensor/gdb/tensors.py").string(),
            "-ex",      memory,
            "-ex",      "break " + function,
            "-ex",      fmt::format("ignore 1 {}", earlier),
            "-ex",      "run",
            "--args",   replay.worker.string(),
            "--replay", replay.calls_file.string()};
}

Replay prepare(const Course& course, const ExerciseInfo& info, const Test& test) {
    const fs::path submission = course.root / "exercises";
    const fs::path folder = work_folder(course, submission, info.name);
    Replay replay;
    replay.build = test.build == verdict::FailedIn::sanitized ? Build::sanitized : Build::plain;
    replay.calls_file = folder / "replay" / test.name;
    fs::create_directories(replay.calls_file.parent_path());
    const FolderLock lock(folder);
    build::Workspace workspace(course.toolchain, course.machine().jail,
                               build::read_submission(submission / info.name, course.folder(info)), folder);
    Judge(course, info, default_seed)
        .record(workspace.worker(replay.build), replay.build, test.name, replay.calls_file);
    replay.calls = read_calls(replay.calls_file);
    const build::Built built = workspace.build_worker_to_debug(replay.build);
    if (!built.program) throw CourseError("the worker could not be built for gdb: " + built.build.message);
    replay.worker = *built.program;
    return replay;
}

int write_test(const Course& course, const ExerciseInfo& info, const Test& test, const Replay& replay) {
    const fs::path file = course.folder(info) / fmt::format("replay_{}.cpp", test.name);
    const auto text = reproducer(info, test, replay.calls.back());
    if (!text)
        throw UsageError(fmt::format(
            "this failure cannot be written down as a test of one call: what is wrong is no number that the "
            "call returns, or the call works on an object that the test made before, or on too many "
            "numbers. ./headway debug {} --test {} replays it.",
            info.number, test.name));
    const std::string shown = file.lexically_relative(course.root).string();
    if (fs::exists(file) && build::read_file(file) != *text)
        throw UsageError(shown +
                         " is there already, and different: it may be yours. Delete or rename it, and ask again.");
    build::write_file(file, *text);
    report::Page page(terminal_style());
    page.paragraphs({}, fmt::format("Written: {}", shown));
    page.paragraphs({}, "The grader passes over it; ./headway pack leaves it out.");
    page.line(0, {{fmt::format("next: ./headway try {}", info.number)}});
    fmt::print("{}", page.take());
    return all_passed;
}

void tell(const Test& test, const Replay& replay) {
    report::Page page(terminal_style());
    page.paragraph({.hanging = 2}, {{test.name + ": ", report::Tone::strong}, {test.property}});
    page.paragraphs({.indent = 2}, test.failure->message);
    page.paragraphs({.indent = 2}, fmt::format("It fails at {}, call {} of {}.", replay.calls.back().function,
                                               replay.calls.size(), replay.calls.size()));
    fmt::print("{}\n", page.take());
}

}  // namespace

int run_debug(const Course& course, const std::string& exercise, const std::string& test_name, DebugAs as) {
    const ExerciseInfo& info = course.find(exercise);
    if (course.tell > verdict::Tell::diagnosis)
        throw UsageError("the policy of this course (policy.toml) keeps the inputs of hidden tests to itself");
    const verdict::Exercise result = graded(course, info);
    const Test* test = chosen(result, test_name);
    if (test == nullptr) {
        fmt::print("No test of {} {} has failed that could be replayed.\nnext: ./headway grade {}\n", info.number,
                   info.title, info.number);
        return result.state == verdict::State::passed ? all_passed : some_did_not_pass;
    }
    const Replay replay = prepare(course, info, *test);
    if (replay.calls.empty())
        throw UsageError(fmt::format(
            "that hidden test asks no single function, so there is no call to replay; ./headway try {} runs what is "
            "yours in one process, for a debugger as well",
            info.number));
    if (as == DebugAs::test) {
        Test told = *test;
        if (course.tell > verdict::Tell::full) told.failure->worst.reset();
        return write_test(course, info, told, replay);
    }
    tell(*test, replay);
    const auto command = gdb_command(course, replay);
    if (as == DebugAs::session && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1)
        OwnProgram(course, course.root / "exercises", replay.worker).become_under_gdb(command);
    fmt::print("{}\n\n  {}\n\nWithout gdb, it runs to its end:\n\n  {} --replay {}\n",
               as == DebugAs::session ? "gdb was not started (is it installed? is this a terminal?). By hand:"
                                      : "In gdb, at that call:",
               report::shell_words(command), replay.worker.string(), replay.calls_file.string());
    return all_passed;
}

}  // namespace headway::cli
