#include "grading/exercise_folder.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::cli {

namespace fs = std::filesystem;

ExerciseFolder::ExerciseFolder(const Course& course, const ExerciseInfo& info)
    : folder_(course.folder(info)), stubs_(course.root / "stubs" / info.name) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(stubs_, missing)) stub_files_.push_back(entry.path().filename());
    if (stub_files_.empty())
        throw CourseError(fmt::format(
            "there are no files in {}. They are part of the course; git checkout -- stubs brings them back.",
            stubs_.string()));
    std::sort(stub_files_.begin(), stub_files_.end());
}

bool ExerciseFolder::is_courses_own(const fs::path& relative) const {
    if (relative == "visible_test.cpp" || relative == "exercise.toml") return true;
    return std::any_of(stub_files_.begin(), stub_files_.end(), [&](fs::path stub) {
        return relative == stub.replace_extension(".hpp");  // the specification of what is to be written
    });
}

std::vector<fs::path> ExerciseFolder::own_files() const {
    std::vector<fs::path> files;
    if (!fs::is_directory(folder_)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
        const fs::path relative = entry.path().lexically_relative(folder_);
        if (!entry.is_directory() && !is_courses_own(relative)) files.push_back(relative);
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool ExerciseFolder::is_untouched() const {
    return own_files() == stub_files_ && std::all_of(stub_files_.begin(), stub_files_.end(), [&](const fs::path& file) {
               return build::read_file(folder_ / file) == build::read_file(stubs_ / file);
           });
}

}  // namespace headway::cli
