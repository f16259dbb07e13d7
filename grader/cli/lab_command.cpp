#include "cli/commands.hpp"
#include "cli/lab_in_jail.hpp"
#include "cli/own_program.hpp"
#include "grading/folder_lock.hpp"
#include "grading/grading.hpp"
#include "grading/whose_code.hpp"
#include "terminal/console.hpp"

#include "build/workspace.hpp"
#include "verdict/phrases.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

struct LabArguments {
    bool reference = false;
    std::string submission;
    std::vector<std::string> rest;  ///< the lab's own
};

/// Of what follows the lab's name, what decides whose code it is built from.
LabArguments parse(const std::vector<std::string>& words) {
    LabArguments arguments;
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    app.add_flag("--reference", arguments.reference);
    app.add_option("--submission", arguments.submission);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    arguments.rest = app.remaining();
    return arguments;
}

/// With --quick and no model of one's own, gpt2 reads the small one that is here: the real one is half a gigabyte.
void add_small_model(const Course& course, const std::string& lab, std::vector<std::string>& words) {
    const auto is_given = [&](const std::string& option) {
        return std::ranges::any_of(
            words, [&](const std::string& word) { return word == option || word.starts_with(option + "="); });
    };
    if (lab != "gpt2" || !is_given("--quick") || is_given("--model") || is_given("--help")) return;
    words.insert(words.end(), {"--model", (course.root / "lessons" / "labs" / "tiny").string()});
    if (!is_given("--text")) words.insert(words.end(), {"--text", ". anna red rome . bob blue oslo . anna"});
}

/// "05, 07 and 13"
std::string numbers_of(const std::vector<std::string>& exercises) {
    std::vector<std::string> numbers;
    numbers.reserve(exercises.size());
    for (const std::string& exercise : exercises) numbers.push_back(exercise.substr(0, 2));
    return verdict::listed(numbers);
}

void list_labs(const Course& course) {
    fmt::print("The labs put your own attention to work:\n\n");
    for (const build::LabParts& lab : course.toolchain.labs) {
        fmt::print("  {:<8}{}\n", lab.name, lab.purpose);
        std::string needs = numbers_of(lab.exercises);
        if (!lab.optional.empty())
            needs += fmt::format("; uses {} where {} done", numbers_of(lab.optional),
                                 lab.optional.size() == 1 ? "it is" : "they are");
        fmt::print("  {0:<8}needs {1}\n  {0:<8}lessons/labs/{2}.md\n\n", "", needs, lab.name);
    }
    fmt::print("./headway lab NAME [options]\n");
    if (is_full_edition()) fmt::print("  --reference         with solutions/ in place of your exercises\n");
    fmt::print(
        "  --submission DIR    with another folder of exercises, in the jail\n"
        "  --help              the lab's own options\n");
}

const build::LabParts& find_lab(const Course& course, const std::string& name) {
    const auto& labs = course.toolchain.labs;
    const auto lab =
        std::find_if(labs.begin(), labs.end(), [&](const build::LabParts& one) { return one.name == name; });
    if (lab != labs.end()) return *lab;
    std::string names;
    for (const build::LabParts& one : labs) names += (names.empty() ? "" : ", ") + one.name;
    throw UsageError(fmt::format("there is no lab {}; there are {}. What they do: ./headway lab", name, names));
}

fs::path code_of(const Course& course, const LabArguments& arguments) {
    if (arguments.reference && !arguments.submission.empty())
        throw UsageError("--reference and --submission each say whose code to take; give one of them");
    if (arguments.reference && !is_full_edition()) throw UsageError("this edition has no solutions for --reference");
    if (arguments.reference) return course.root / "solutions";
    if (arguments.submission.empty()) return course.root / "exercises";
    return fs::absolute(arguments.submission).lexically_normal();
}

build::Built problem(const build::Workspace::Objects& objects) { return {std::nullopt, *objects.problem}; }

/// The lab's parts that are compiled so far.
struct CompiledExercises {
    build::Workspace::Objects all;
    std::optional<build::Workspace> first;  ///< where all is linked

    /// Compiles an exercise in a folder of its own.
    /// @return what is wrong with it, if anything is
    std::optional<build::Workspace::Objects> add(const Course& course, const std::string& name, const fs::path& code) {
        const ExerciseInfo& info = course.find(name);
        auto sources = build::read_submission(code / name, course.folder(info));
        if (!sources.has_source()) throw UsageError(fmt::format("{} holds no .cpp file", (code / name).string()));
        const fs::path folder = work_folder(course, code, name);
        const FolderLock lock(folder);
        build::Workspace workspace(course.toolchain, course.machine().jail, std::move(sources), folder);
        auto objects = workspace.compile_for_lab();
        if (objects.problem) return objects;
        all.files.insert(all.files.end(), objects.files.begin(), objects.files.end());
        if (!first) first.emplace(std::move(workspace));
        return std::nullopt;
    }
};

/// Links the exercises that the lab needs with it, and those that it can do without: as they are, or as stubs.
build::Built build_lab(const Course& course, const build::LabParts& lab, const fs::path& code) {
    CompiledExercises compiled;
    for (const std::string& name : lab.exercises) {
        if (!fs::is_directory(code / name))
            throw UsageError(
                fmt::format("there is no folder {}; the lab {} needs it", (code / name).string(), lab.name));
        if (const auto wrong = compiled.add(course, name, code)) return problem(*wrong);
    }
    for (const std::string& name : lab.optional) {
        if (fs::is_directory(code / name)) {
            if (!compiled.add(course, name, code)) continue;
            fmt::print(stderr, "{} does not compile: the lab goes on without it.\n", name);
        }
        if (const auto wrong = compiled.add(course, name, course.root / "stubs")) return problem(*wrong);
    }
    return compiled.first->link_lab(lab, compiled.all);
}

}  // namespace

int run_lab(const Course& course, const std::vector<std::string>& arguments) {
    if (course.toolchain.labs.empty()) throw UsageError("this edition of the course comes without the labs");
    if (arguments.empty() || arguments.front() == "-h" || arguments.front() == "--help") {
        list_labs(course);
        return all_passed;
    }
    const build::LabParts& lab = find_lab(course, arguments.front());
    LabArguments parsed = parse({arguments.begin() + 1, arguments.end()});
    add_small_model(course, lab.name, parsed.rest);
    const fs::path code = code_of(course, parsed);
    build::Built built;
    {
        ProgressLine progress;
        progress.show("compiling for the lab " + lab.name);
        built = build_lab(course, lab, code);
    }
    if (!built.program) {
        fmt::print("{}\n\n{}\n", verdict::showable(built.build.message), verdict::showable(built.build.diagnostics));
        return some_did_not_pass;
    }
    if (!is_own(course, code)) return run_lab_in_jail(course, lab.name, *built.program, parsed.rest);
    // The lab's own default would be a place relative to who knows what.
    std::vector<std::string> words{"--output", (course.root / "lab-results" / lab.name).string()};
    words.insert(words.end(), parsed.rest.begin(), parsed.rest.end());
    return OwnProgram(course, code, *built.program).become(words);
}

}  // namespace headway::cli
