#include "verify/unfinished.hpp"

#include "submission/digest.hpp"

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

bool is_unfinished(const fs::path& file) {
    return fs::is_regular_file(file) && build::read_file(file).find(to_be_filled_in) != std::string::npos;
}

}  // namespace

std::vector<fs::path> unfinished_files(const fs::path& course, const ExerciseInfo& info) {
    std::vector<fs::path> found;
    for (const char* room : {"exercises", "stubs", "solutions", "grader/suites"}) {
        if (!fs::is_directory(course / room / info.name)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(course / room / info.name))
            if (is_unfinished(entry.path())) found.push_back(entry.path().lexically_relative(course));
    }
    const fs::path trivial = fs::path("tests/trivial") / (info.name + ".cpp");
    if (is_unfinished(course / trivial)) found.push_back(trivial);
    if (!info.lesson.empty() && is_unfinished(course / info.lesson)) found.emplace_back(info.lesson);
    std::ranges::sort(found);
    return found;
}

}  // namespace headway::cli
