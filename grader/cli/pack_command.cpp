#include "cli/commands.hpp"
#include "grading/exercise_folder.hpp"
#include "grading/results.hpp"
#include "terminal/console.hpp"

#include "intake/file_tree.hpp"
#include "report/exercise_view.hpp"
#include "sandbox/process.hpp"
#include "submission/submission.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using report::Tone;

/// What of one exercise is handed in.
struct Parcel {
    const ExerciseInfo* info = nullptr;
    std::vector<fs::path> files;     ///< relative to exercises/
    std::vector<fs::path> left_out;  ///< no sources, or links: grading would not read them
};

Parcel parcel_of(const Course& course, const ExerciseInfo& info) {
    Parcel parcel{&info, {}, {}};
    const ExerciseFolder place(course, info);
    if (place.is_untouched()) return parcel;
    for (const fs::path& file : place.own_files()) {
        const bool counts = build::is_source(file) && !build::is_replay(file) && !fs::is_symlink(place.folder() / file);
        (counts ? parcel.files : parcel.left_out).push_back(fs::path(info.name) / file);
    }
    return parcel;
}

/// "7 / 10 when last graded", or that nobody knows.
std::string standing(const Course& course, const ExerciseInfo& info) {
    const auto result = current_result(course, course.root / "exercises", info, default_seed);
    return result ? report::points_text(*result) + " points" : "not graded as it is now";
}

void show(report::Page& page, const Course& course, const Parcel& parcel) {
    const std::string name = parcel.info->number + " " + parcel.info->title;
    if (parcel.files.empty()) {
        page.entry(2, {{name, Tone::faint}}, {"nothing written: left out", Tone::faint});
    } else {
        page.entry(2, {{name, Tone::strong}}, {standing(course, *parcel.info)});
    }
    for (const fs::path& file : parcel.files)
        page.entry(4, {{file.string()}}, {fmt::format("{} bytes", fs::file_size(course.root / "exercises" / file))});
    for (const fs::path& file : parcel.left_out)
        page.entry(4, {{file.string(), Tone::faint}}, {"not part of a submission: left out", Tone::faint});
}

/// What the ending of the archive's name says it is.
enum class Packing { tar, zip };

Packing packing_of(const std::string& file) {
    const std::string_view ending = intake::archive_ending(file);
    if (ending == ".zip") return Packing::zip;
    if (ending == ".tar.gz" || ending == ".tgz") return Packing::tar;
    throw UsageError(fmt::format("{}: the archive's name must end in .tar.gz, .tgz or .zip", file));
}

/// The same files give the same archive: no time of its own, one order; and in a tar no owner.
std::vector<std::string> packer(Packing packing, const std::string& archive) {
    if (packing == Packing::zip)
        return {"/usr/bin/env",
                "cmake",
                "-E",
                "tar",
                "cf",
                archive,
                "--format=zip",
                "--mtime=1980-01-02 00:00:00 UTC",
                "--"};
    return {"/usr/bin/tar", "--create",        "--gzip",     "--file=" + archive, "--owner=0",
            "--group=0",    "--numeric-owner", "--mtime=@0", "--mode=u=rw,go=r",  "--"};
}

void write_archive(const Course& course, const fs::path& archive, Packing packing, const std::vector<fs::path>& files) {
    fs::path unfinished = archive;
    unfinished += ".unfinished";
    sandbox::Command command;
    command.arguments = packer(packing, unfinished.string());
    for (const fs::path& file : files) command.arguments.push_back(file.string());
    const char* path = std::getenv("PATH");  // CMake need not be the system's
    command.environment = {fmt::format("PATH={}", path != nullptr ? path : "/usr/bin:/bin"), "LC_ALL=C.UTF-8"};
    command.directory = course.root / "exercises";
    const auto finished =
        sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::packer), std::chrono::seconds(60), 4096);
    std::error_code problem;
    if (finished.ended.success()) fs::rename(unfinished, archive, problem);
    if (finished.ended.success() && !problem) return;
    fs::remove(unfinished, problem);
    throw CourseError(
        fmt::format("cannot write {}: {}", archive.string(), finished.output.substr(0, finished.output.find('\n'))));
}

}  // namespace

int run_pack(const Course& course, const std::vector<std::string>& exercises, const std::string& file) {
    const Packing packing = packing_of(fs::path(file).filename());
    const fs::path into = fs::absolute(file).parent_path();
    if (!fs::is_directory(into))
        throw UsageError(fmt::format("there is no folder {} for the archive; make it first", into.string()));
    std::vector<Parcel> parcels;
    for (const ExerciseInfo& info : course.exercises) {
        const bool wanted = exercises.empty() || std::any_of(exercises.begin(), exercises.end(), [&](const auto& name) {
                                return &course.find(name) == &info;
                            });
        if (wanted) parcels.push_back(parcel_of(course, info));
    }
    for (const std::string& name : exercises) course.find(name);
    std::vector<fs::path> files;
    report::Page page(terminal_style());
    for (const Parcel& parcel : parcels) {
        show(page, course, parcel);
        files.insert(files.end(), parcel.files.begin(), parcel.files.end());
    }
    if (files.empty()) {
        page.paragraphs({}, "There is nothing to hand in yet: no archive was written.");
        page.line(0, {{"next: ./headway"}});
        fmt::print("{}", page.take());
        return some_did_not_pass;
    }
    write_archive(course, fs::absolute(file), packing, files);
    page.rule();
    page.paragraph({}, {{file, Tone::strong},
                        {fmt::format(": {}, {} bytes. Hand in this file.", report::counted(files.size(), "file"),
                                     fs::file_size(file))}});
    page.line(0, {{fmt::format("What is in it:  {} {}", packing == Packing::zip ? "cmake -E tar tf" : "tar -tzf", file),
                   Tone::faint}});
    fmt::print("{}", page.take());
    return all_passed;
}

}  // namespace headway::cli
