#pragma once

#include "grading/course.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace headway::cli {

/// A program built from one's own exercises/ or from the course's solutions/: the one kind that runs in no jail unless
/// somebody says --unsafe, since its author wants to debug it, on the author's own account.
class OwnProgram {
public:
    /// @param code  the folder that it was built from   @throws CourseError if that is somebody else's
    OwnProgram(const Course& course, const std::filesystem::path& code, std::filesystem::path program);

    /// Becomes the program: it owns the terminal, and ends as it ends. @throws CourseError
    int become(const std::vector<std::string>& arguments) const;
    /// gdb with the program in it, if there is a gdb: else it returns.
    void become_under_gdb(const std::vector<std::string>& gdb_command) const;

private:
    std::filesystem::path program_;
};

}  // namespace headway::cli
