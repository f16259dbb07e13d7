#include "cli/own_program.hpp"

#include "grading/whose_code.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// For exec: pointers into `words`, and the null that ends them.
std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (std::string& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace

OwnProgram::OwnProgram(const Course& course, const fs::path& code, fs::path program) : program_(std::move(program)) {
    if (!is_own(course, code))
        throw CourseError(
            fmt::format("{} is not your own exercises/: its programs run in the jail only", code.string()));
}

int OwnProgram::become(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{program_.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::fflush(nullptr);
    ::execv(program_.c_str(), pointers(words).data());
    throw CourseError(fmt::format("cannot run {}: {}", program_.string(), std::strerror(errno)));
}

void OwnProgram::become_under_gdb(const std::vector<std::string>& gdb_command) const {
    std::vector<std::string> words = gdb_command;
    std::fflush(nullptr);
    ::execvp(words.front().c_str(), pointers(words).data());
}

}  // namespace headway::cli
