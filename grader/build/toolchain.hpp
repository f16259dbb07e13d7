#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headway::build {

/// A submission runs in two builds; see cmake/BuildSettings.cmake.
enum class Build { plain, sanitized };
inline constexpr Build builds[] = {Build::plain, Build::sanitized};
std::string to_string(Build build);

template <class T>
using PerBuild = std::map<Build, T>;
using Words = std::vector<std::string>;
inline void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

/// A lab: a program of ours around what the student wrote in some exercises.
struct LabParts {
    std::string name;     ///< "cost"
    std::string purpose;  ///< one line
    Words exercises;      ///< "05_module"
    Words optional;       ///< exercises whose stubs will do
    Words libraries;
};

/// How submissions are compiled, linked and judged: grader.json, which the course's own build writes.
struct Toolchain {
    std::string compiler;
    std::string compiler_version;
    std::string include;
    std::string system_include;
    std::filesystem::path judge;  ///< beside it: the programs of the jail
    bool orderly = false;         ///< workers end by themselves, to write coverage data
    PerBuild<Words> compile;
    PerBuild<Words> link;
    PerBuild<Words> prelude;
    PerBuild<Words> prelude_eigen;  ///< for submissions that include Eigen
    PerBuild<Words> main;
    Words gtest;
    std::map<std::string, PerBuild<Words>> libraries;  ///< by exercise name, in the builds that it is graded in
    std::vector<std::string> exercises;                ///< in the order of the course
    std::vector<LabParts> labs;
    Words lab_link;  ///< options of the linker, besides those of a plain build

    /// @throws std::runtime_error if the file is missing or damaged; the message says what to do
    static Toolchain load(const std::filesystem::path& file);

    /// Whether submissions of the exercise run in that build.
    bool builds(const std::string& exercise, Build build) const;

    /// Everything that a result depends on besides the submission: judge, libraries, options, compiler.
    std::string digest(const std::string& exercise) const;
};

}  // namespace headway::build
