#pragma once

#include "diagnosis/diagnose.hpp"

#include "student/student.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

/// The calls of the hidden tests that were answered, kept for the diagnosis: frames in a file, each call followed by
/// its answer.
namespace headway::judge {

/// Writes every call of the student's functions that was answered, up to a bound.
class AnsweredCallsFile {
public:
    explicit AnsweredCallsFile(const std::filesystem::path& file) : file_(file, std::ios::binary), name_(file) {}

    void add(const std::string& function, const Arguments& arguments, const Outcome& outcome);
    /// @throws std::runtime_error if not all of it was written
    void close();

private:
    void write(const wire::Bytes& message);

    std::ofstream file_;
    std::filesystem::path name_;
    std::uint64_t unfolded_ = 0;
    std::uint64_t written_ = 0;
};

/// @throws std::exception if that is no such file
std::vector<diagnosis::AnsweredCall> read_answered_calls(const std::filesystem::path& file);

}  // namespace headway::judge
