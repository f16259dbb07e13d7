#include "coverage.hpp"

#include "folder_lock.hpp"
#include "grading.hpp"

#include "../build/scratch_folder.hpp"
#include "../build/workspace.hpp"

#include <algorithm>
#include <sstream>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// Of one worker's counts.
constexpr std::uintmax_t most_parcel_bytes = std::uintmax_t{4} << 20U;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// By line, whether it was reached. Templates and the like give a line several counts, and so do several workers.
using Reached = std::map<std::size_t, bool>;

/// @param document  gcov's, of what the submission's program says that it has counted
void add_lines(const nlohmann::json& document, const build::SourceFile& source, Reached& reached) {
    for (const auto& file : document.at("files"))
        if (fs::path(file.at("file").get<std::string>()).lexically_normal() == source.path)
            for (const auto& line : file.at("lines"))
                reached[line.at("line_number").get<std::size_t>()] |= line.at("count").get<std::int64_t>() > 0;
}

verdict::Coverage coverage_of(const build::SourceFile& source, const Reached& lines) {
    verdict::Coverage coverage;
    coverage.file = source.path.string();
    const std::vector<std::string> text = lines_of(source.text);
    for (const auto& [number, was_reached] : lines) {
        if (number == 0 || number > text.size()) continue;
        ++coverage.all_lines;
        if (was_reached)
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
    // What is counted comes out as the jail's parcels. Where there is none, nothing of the submission is run for this.
    if (!course.toolchain.compiler_version.starts_with("GNU") || !fs::exists(gcov) || !course.machine().jail.exists())
        return {};
    const fs::path folder = work_folder(course, submission, info.name);
    const FolderLock lock(folder);
    build::Workspace workspace(course.toolchain, course.machine().jail,
                               build::read_submission(submission / info.name, course.folder(info)), folder);
    const build::Built built = workspace.build_worker_with_counters();
    if (!built.program) return {};
    const build::ScratchFolder counts(folder);
    run_judge(course, info.name, *built.program, build::Flavour::plain, seed, {"--counts", counts.path().string()});
    std::vector<nlohmann::json> documents;
    for (const auto& entry : fs::directory_iterator(counts.path()))
        for (nlohmann::json& document : workspace.read_counts(sandbox::open_parcel(entry.path(), most_parcel_bytes)))
            documents.push_back(std::move(document));
    std::vector<verdict::Coverage> coverage;
    for (const build::SourceFile& source : workspace.submission().files) {
        Reached reached;
        for (const nlohmann::json& document : documents) add_lines(document, source, reached);
        if (!reached.empty()) coverage.push_back(coverage_of(source, reached));
    }
    return coverage;
}

}  // namespace headway::cli
