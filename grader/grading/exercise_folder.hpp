#pragma once

#include "grading/course.hpp"

#include <filesystem>
#include <vector>

namespace headway::cli {

/// The folder of an exercise: exercises/NN_name holds files of the course, which an update may replace, and the
/// student's own, which nothing but the student changes.
class ExerciseFolder {
public:
    ExerciseFolder(const Course& course, const ExerciseInfo& info);

    const std::filesystem::path& folder() const { return folder_; }
    /// stubs/NN_name, which holds the student's files as they were at the beginning.
    const std::filesystem::path& stubs() const { return stubs_; }
    const std::vector<std::filesystem::path>& stub_files() const { return stub_files_; }

    /// All files besides the course's header, visible test and exercise.toml; paths relative to the folder, sorted.
    std::vector<std::filesystem::path> own_files() const;
    /// Nothing has been written yet.
    bool is_untouched() const;

private:
    bool is_courses_own(const std::filesystem::path& relative) const;

    std::filesystem::path folder_;
    std::filesystem::path stubs_;
    std::vector<std::filesystem::path> stub_files_;
};

}  // namespace headway::cli
