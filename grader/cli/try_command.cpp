#include "cli/commands.hpp"
#include "cli/own_program.hpp"
#include "grading/folder_lock.hpp"
#include "grading/grading.hpp"
#include "terminal/console.hpp"

#include "build/workspace.hpp"
#include "report/build_view.hpp"

#include <fmt/format.h>

namespace headway::cli {

namespace fs = std::filesystem;

namespace {

/// As `grade` tells it.
std::string problem_of(const verdict::Compilation& build, const fs::path& folder) {
    report::Page page(terminal_style());
    verdict::Exercise exercise;
    exercise.build = build;
    report::show_build_problem(page, exercise, {seen_from_here(folder) + "/"});
    return page.take();
}

}  // namespace

int run_try(const Course& course, const std::string& exercise, TryCode code, bool build_only,
            const std::vector<std::string>& test_arguments) {
    if (code == TryCode::reference && !is_full_edition())
        throw UsageError("this edition has no solutions for --reference");
    const ExerciseInfo& info = course.find(exercise);
    const fs::path root = course.root / (code == TryCode::own ? "exercises" : "solutions");
    auto sources = build::read_submission(root / info.name, course.folder(info));
    if (!sources.has_source()) throw UsageError(fmt::format("{} holds no .cpp file", (root / info.name).string()));
    const fs::path folder = work_folder(course, root, info.name);
    build::Built built;
    {
        const FolderLock lock(folder);
        build::Workspace workspace(course.toolchain, course.machine().jail, std::move(sources), folder);
        built = workspace.build_visible_test(course.folder(info) / "visible_test.cpp", root / info.name);
    }
    if (!built.program) {
        // Standard output is read by who asks for the path of the program.
        fmt::print(build_only ? stderr : stdout, "{}", problem_of(built.build, root / info.name));
        return some_did_not_pass;
    }
    if (build_only) {
        fmt::print("{}\n", built.program->string());
        return all_passed;
    }
    return OwnProgram(course, root, *built.program).become(test_arguments);
}

}  // namespace headway::cli
