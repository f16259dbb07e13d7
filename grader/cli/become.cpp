#include "become.hpp"

#include "course.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace headway::cli {

int become(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
    std::string path = program.string();
    std::vector<char*> words{path.data()};
    std::vector<std::string> copies = arguments;
    for (std::string& argument : copies) words.push_back(argument.data());
    words.push_back(nullptr);
    std::fflush(nullptr);
    ::execv(path.c_str(), words.data());
    throw CourseError(fmt::format("cannot run {}: {}", path, std::strerror(errno)));
}

}  // namespace headway::cli
