#include "become.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "folder_lock.hpp"
#include "grading.hpp"

#include "../build/workspace.hpp"
#include "../verdict/utf8.hpp"

#include <fmt/format.h>

namespace headway::cli {

namespace fs = std::filesystem;

int run_try(const Course& course, const std::string& exercise, const std::string& submission, bool build_only,
            const std::vector<std::string>& test_arguments) {
    const ExerciseInfo& info = course.find(exercise);
    const fs::path root = submission.empty() ? course.root / "exercises" : fs::absolute(submission).lexically_normal();
    if (!fs::is_directory(root / info.name))
        throw UsageError(fmt::format("there is no folder {}", (root / info.name).string()));
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
        fmt::print("{}\n\n{}\n", verdict::showable(built.build.message), verdict::showable(built.build.diagnostics));
        return some_did_not_pass;
    }
    if (build_only) {
        fmt::print("{}\n", built.program->string());
        return all_passed;
    }
    return become(*built.program, test_arguments);
}

}  // namespace headway::cli
