#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::build {

struct SourceFile {
    std::filesystem::path path;  ///< relative to the exercise's folder
    std::string text;

    bool is_compiled() const;
    /// The name of its object file. Objects of all folders lie in one, so each name is unlike the others.
    std::string object_name() const;
};

/// What counts of a submission's exercise folder: its own .cpp and .hpp files, read once, so that what is hashed is
/// what is compiled. The course's header, exercise.toml and visible test replace the submitted ones.
struct Submission {
    std::string exercise;           ///< "03_scaled_scores"
    std::filesystem::path folder;   ///< where it was read from
    std::vector<SourceFile> files;  ///< the student's, sorted by path
    std::vector<SourceFile> course_files;

    bool has_source() const;
    /// Whether any file includes Eigen, and none defines a macro of Eigen's, which must come before its headers.
    bool includes_eigen() const;
    std::string digest() const;
};

/// Whether a file is a C++ source or header, by its name. Nothing else counts.
bool is_source(const std::filesystem::path& path);

/// Why no source can have this path, with the next step; empty if one can. Other files may have any name.
std::string why_unusable(const std::filesystem::path& source);

/// Whether ./headway debug --as-test wrote the file: it is a test, and no part of a submission.
bool is_replay(const std::filesystem::path& relative);

/// A submission that cannot be read as one: too large, too many files, names that mean something else, not a folder.
struct BadSubmission : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The files of an exercise that count, without the course's own. @throws BadSubmission
Submission select_files(std::vector<SourceFile> files, const std::filesystem::path& course_folder);

/// @param course_folder  the course's exercises/NN_name
/// @throws BadSubmission
Submission read_submission(const std::filesystem::path& folder, const std::filesystem::path& course_folder);

}  // namespace headway::build
