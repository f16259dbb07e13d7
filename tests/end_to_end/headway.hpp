#pragma once

#include "sandbox/process.hpp"
#include "temporary_folder.hpp"
#include "verdict/verdict.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway {

/// A submission in a temporary folder, and the command that grades it.
class Desk {
public:
    /// Writes DIR/NN_name/file.
    void write(const std::string& file, const std::string& text) { folder_.write("submission/" + file, text); }
    std::filesystem::path submission() const { return folder_.path() / "submission"; }
    const std::filesystem::path& folder() const { return folder_.path(); }

    /// headway-cli with a state of its own, and with the policy.toml of the folder if there is one.
    sandbox::Finished headway(const std::vector<std::string>& arguments) const;

    /// `grade NN`, as JSON. @throws if there is no verdict
    verdict::Exercise grade(const std::string& number) const;

    /// Of the first test that fails when that is graded; one must.
    verdict::Failure first_failure(const std::string& number) const;

private:
    build::TemporaryFolder folder_;
};

/// A student's copy of the course: lessons, stubs and solutions are this checkout's, exercises/ is the copy's own.
class CourseCopy {
public:
    CourseCopy();

    const std::filesystem::path& root() const { return folder_.path(); }
    /// Writes exercises/NN_name/file.
    void write(const std::string& file, const std::string& text) { folder_.write("exercises/" + file, text); }
    std::string read(const std::string& file) const;

    /// headway-cli, as the copy's launcher runs it.
    sandbox::Finished headway(const std::vector<std::string>& arguments) const;

private:
    build::TemporaryFolder folder_;
};

/// Whether a command printed this.
testing::AssertionResult says(const sandbox::Finished& finished, const std::string& text);

/// solutions/NN_name/file.
std::string solution(const std::string& file);

/// The number of the line in which this text stands first.
int line_of(const std::string& program, const std::string& text);

/// The solution of exercise 01 with another softmax_rows: everything else in it stays right.
/// @param before  declarations that the body needs
std::string single_head_with_softmax(const std::string& body, const std::string& before = "");

}  // namespace headway
