#include "grading/coverage.hpp"

#include "grading/folder_lock.hpp"
#include "grading/judge.hpp"

#include "build/reached_lines.hpp"
#include "build/workspace.hpp"
#include "submission/scratch_folder.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// Of one worker's counts.
constexpr std::uintmax_t most_parcel_bytes = std::uintmax_t{4} << 20U;

}  // namespace

void measure_coverage(const Course& course, const GradingOptions& options, verdict::Exercise& exercise) {
    exercise.coverage.clear();
    const ExerciseInfo& info = course.find(exercise.name);
    const fs::path gcov = fs::path(course.toolchain.compiler).parent_path() / "gcov";
    // What is counted comes out as the jail's parcels. Where there is none, nothing of the submission is run for this.
    if (!course.toolchain.compiler_version.starts_with("GNU") || !fs::exists(gcov) || !course.machine().jail.exists())
        return;
    const fs::path folder = work_folder(course, options.submission, info.name);
    const FolderLock lock(folder);
    build::Workspace workspace(course.toolchain, course.machine().jail,
                               build::read_submission(options.submission / info.name, course.folder(info)), folder);
    const build::Built built = workspace.build_worker_with_counters();
    if (!built.program) return;
    if (exercise.jails) (*exercise.jails)["coverage"] = course.machine().jail.name();
    const build::ScratchFolder counts(folder);
    Judge(course, info, options.seed).count(*built.program, counts.path());
    build::ReachedLines reached(workspace.submission().files);
    for (const auto& entry : fs::directory_iterator(counts.path()))
        workspace.read_counts(sandbox::open_parcel(entry.path(), most_parcel_bytes),
                              [&](const nlohmann::json& document) { reached.add(document); });
    exercise.coverage = reached.found();
}

}  // namespace headway::cli
