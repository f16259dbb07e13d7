#include "classroom/jplag.hpp"

#include "classroom/course_material.hpp"
#include "submission/digest.hpp"
#include "terminal/shell_words.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

namespace headway::classroom {
namespace {

namespace fs = std::filesystem;

void write_files(const fs::path& folder, const std::vector<build::SourceFile>& files) {
    fs::create_directories(folder);
    for (const build::SourceFile& file : files) {
        const fs::path path = folder / file.path;
        fs::create_directories(path.parent_path());
        build::write_file(path, file.text);
    }
}

/// [github.com/jplag/JPlag, README, "CLI"]
std::string command_for(const fs::path& folder) {
    return report::shell_words({"java", "-jar", "jplag.jar", "-l", "cpp", "-bc", folder / "base", "-r",
                                folder / "result", folder / "submissions"});
}

}  // namespace

JplagExport export_for_jplag(const fs::path& folder, const cli::Course& course, const gradebook::Gradebook& gradebook,
                             const std::vector<gradebook::Mark>& marks) {
    if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder)))
        throw std::runtime_error(fmt::format("{} is there already, and not an empty folder", folder.string()));
    if (fs::create_directories(folder)) fs::permissions(folder, fs::perms::owner_all);  // it holds names and sources
    JplagExport written;
    std::map<std::string, std::size_t> students;  // of each exercise
    for (const gradebook::Mark& mark : marks)
        for (const gradebook::ExerciseMark& one : mark.exercises) {
            if (one.source.empty()) continue;
            build::Submission source;
            try {
                source = gradebook.source({one.exercise, one.source, ""});
            } catch (const std::runtime_error& error) {
                written.unreadable.emplace_back(one.exercise.substr(0, 2) + " of " + mark.student, error.what());
                continue;
            }
            write_files(folder / one.exercise / "submissions" / mark.student, source.files);
            ++students[one.exercise];
        }
    for (const auto& [exercise, count] : students) {
        write_files(folder / exercise / "base", given_files(course, course.find(exercise)));
        if (count > 1) written.commands.push_back(command_for(folder / exercise));
    }
    return written;
}

}  // namespace headway::classroom
