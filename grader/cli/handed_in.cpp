#include "cli/handed_in.hpp"

#include "grading/whose_code.hpp"
#include "submission/digest.hpp"
#include "submission/handed_in_file.hpp"
#include "submission/written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

bool may_count(const std::string& name) { return intake::FileTree::counts(intake::FileTree::with_small_ending(name)); }

/// Whether an exercise folder holds an archive in place of sources.
bool is_packed(const fs::path& folder) {
    bool has_archive = false;
    std::error_code closed;  // what nobody may read is told when it is graded
    constexpr auto skip = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(folder, skip, closed), end; entry != end; ++entry) {
        if (entry.depth() >= intake::most_nested) entry.disable_recursion_pending();  // and so is what lies too deep
        if (may_count(entry->path().filename())) return false;
        has_archive = has_archive || intake::is_archive(entry->path());
    }
    return has_archive;
}

/// Exercise folders, and beside them nothing that a hand-in's reader would take for part of it.
bool is_laid_out(const Course& course, const fs::path& folder) {
    bool has_exercise = false;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool is_exercise =
            std::ranges::find(course.exercises, name, &ExerciseInfo::name) != course.exercises.end();
        has_exercise = has_exercise || is_exercise;
        const bool is_folder = entry.is_directory();
        const bool may_hold_more =
            is_folder ? may_count(name + "/a.cpp") : may_count(name) || intake::is_archive(entry.path());
        if (is_exercise ? is_folder && is_packed(entry.path()) : may_hold_more) return false;
    }
    return has_exercise;
}

/// Whether a file of the hand-in has this text.
bool holds(const fs::path& folder, const fs::path& relative, const std::string& text) try {
    return fs::file_size(folder / relative) == text.size() &&
           build::read_handed_in(folder, relative, text.size()) == text;
} catch (const std::runtime_error&) {  // it changed, or is closed
    return false;
}

/// What is to be laid out; nothing where the folder can be graded as it is.
std::optional<std::vector<build::Submission>> submissions_in(const Course& course, const fs::path& named) try {
    if (!fs::exists(named)) throw UsageError(fmt::format("there is no file or folder {}", named.string()));
    if (is_own(course, named) || (fs::is_directory(named) && is_laid_out(course, named))) return std::nullopt;
    intake::HandIn hand_in;
    hand_in.paths = {fs::canonical(named)};  // a link may be named, though none is followed below it
    if (!fs::is_directory(named) && !intake::is_archive(named)) hand_in.names = {named.filename().string()};
    return intake::read_hand_in(hand_in, wanted_of(course));
} catch (const fs::filesystem_error& error) {
    throw UsageError(fmt::format("{} cannot be read as a hand-in: {}. Is it the right one?", named.string(),
                                 error.code().message()));
}

}  // namespace

std::vector<intake::Wanted> wanted_of(const Course& course) {
    std::vector<intake::Wanted> wanted;
    for (const ExerciseInfo& info : course.exercises) wanted.push_back({info.name, course.folder(info)});
    return wanted;
}

HandedIn::HandedIn(const Course& course, const fs::path& named) : named_(named), folder_(named) {
    const auto submissions = submissions_in(course, named);
    if (!submissions) return;
    fs::create_directories(course.state);
    folder_ = laid_out_.emplace(course.state).path();
    for (const build::Submission& submission : *submissions)
        build::write_submission(submission, folder_ / submission.exercise);
}

/// A name may have changed on the way (`.cc`, `(1).cpp`), and the folder; the text is as it was handed in.
fs::path HandedIn::origin_of(const fs::path& graded) const {
    if (!laid_out_) return named_ / graded;
    if (!fs::is_directory(named_)) return named_;
    std::error_code closed;
    const std::string text = fs::is_regular_file(folder_ / graded) ? build::read_file(folder_ / graded) : "";
    const fs::path folder = fs::canonical(named_);
    fs::path origin = named_ / graded;
    constexpr auto skip = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(named_, skip, closed), end; entry != end; ++entry) {
        if (entry.depth() >= intake::most_nested) entry.disable_recursion_pending();
        if (!entry->is_regular_file() || entry->is_symlink()) continue;
        if (intake::is_archive(entry->path())) origin = entry->path();
        if (may_count(entry->path().filename()) && holds(folder, entry->path().lexically_relative(named_), text))
            return entry->path();
    }
    return origin;
}

}  // namespace headway::cli
