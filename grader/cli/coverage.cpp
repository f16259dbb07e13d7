#include "coverage.hpp"

#include "folder_lock.hpp"
#include "grading.hpp"

#include "../build/gcov.hpp"
#include "../build/reached_lines.hpp"
#include "../build/workspace.hpp"

#include <algorithm>
#include <utility>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

void forget_earlier_counts(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".gcda") fs::remove(entry.path(), ignored);
}

}  // namespace

std::vector<verdict::Coverage> measure_coverage(const Course& course, const fs::path& submission,
                                                const ExerciseInfo& info, std::uint64_t seed) {
    const fs::path gcov = fs::path(course.toolchain.compiler).parent_path() / "gcov";
    if (!course.toolchain.compiler_version.starts_with("GNU") || !fs::exists(gcov)) return {};
    const fs::path folder = work_folder(course, submission, info.name);
    fs::create_directories(folder);
    const FolderLock lock(folder);
    // Counting is done by files that the compiler and the worker write, which a jail does not let out.
    const sandbox::Jail none = sandbox::without_jail(course.machine().jail.policy(), "").jail;
    build::Workspace workspace(course.toolchain, none,
                               build::read_submission(submission / info.name, course.folder(info)), folder);
    const build::Built built = workspace.build_worker_with_counters();
    if (!built.program) return {};
    forget_earlier_counts(built.program->parent_path());
    run_judge(course, info.name, *built.program, build::Flavour::plain, seed, {"--orderly"});
    std::vector<verdict::Coverage> coverage;
    for (const auto& entry : fs::directory_iterator(built.program->parent_path())) {
        if (entry.path().extension() != ".gcda") continue;
        for (verdict::Coverage& file :
             build::reached_lines(build::gcov_of(gcov, entry.path()), workspace.submission().files))
            coverage.push_back(std::move(file));
    }
    std::sort(coverage.begin(), coverage.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
    return coverage;
}

}  // namespace headway::cli
