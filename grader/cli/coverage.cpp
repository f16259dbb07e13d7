#include "coverage.hpp"

#include "folder_lock.hpp"
#include "grading.hpp"

#include "../build/gcov.hpp"
#include "../build/workspace.hpp"

#include <algorithm>
#include <sstream>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

void forget_earlier_counts(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".gcda") fs::remove(entry.path(), ignored);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Templates and the like give a line several counts: one of them reached is enough.
verdict::Coverage coverage_of(const build::SourceFile& source, const nlohmann::json& lines) {
    std::map<std::size_t, std::int64_t> counts;
    for (const auto& line : lines)
        counts[line.at("line_number").get<std::size_t>()] += line.at("count").get<std::int64_t>();
    verdict::Coverage coverage;
    coverage.file = source.path.string();
    const std::vector<std::string> text = lines_of(source.text);
    for (const auto& [number, count] : counts) {
        if (number == 0 || number > text.size()) continue;
        ++coverage.all_lines;
        if (count > 0)
            ++coverage.reached_lines;
        else
            coverage.missed.push_back({static_cast<int>(number), text[number - 1]});
    }
    return coverage;
}

}  // namespace

std::vector<verdict::Coverage> measure_coverage(const Course& course, const fs::path& submission,
                                                const ExerciseInfo& info, std::uint64_t seed) {
    const fs::path gcov = fs::path(course.toolchain.compiler).parent_path() / "gcov";
    if (!course.toolchain.compiler_version.starts_with("GNU") || !fs::exists(gcov)) return {};
    const fs::path folder = work_folder(course, submission, info.name);
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
        const nlohmann::json counts = build::gcov_of(gcov, entry.path());
        if (!counts.is_object()) continue;
        for (const auto& file : counts.value("files", nlohmann::json::array()))
            for (const build::SourceFile& source : workspace.submission().files)
                if (fs::path(file.at("file").get<std::string>()).lexically_normal() == source.path)
                    coverage.push_back(coverage_of(source, file.at("lines")));
    }
    std::sort(coverage.begin(), coverage.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
    return coverage;
}

}  // namespace headway::cli
