#pragma once

#include "diagnosis/diagnose.hpp"

#include "student/student.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

/// What the hidden tests heard, kept for the diagnosis: frames in a file, a call and its answer in turn.
namespace headway::judge {

/// Writes every call of the student's functions that was answered, up to a bound.
class HeardFile {
public:
    explicit HeardFile(const std::filesystem::path& file) : file_(file, std::ios::binary), name_(file) {}

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
std::vector<diagnosis::Heard> read_heard(const std::filesystem::path& file);

}  // namespace headway::judge
