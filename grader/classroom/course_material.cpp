#include "classroom/course_material.hpp"

#include "intake/exercise_names.hpp"
#include "submission/digest.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace headway::classroom {
namespace {

namespace fs = std::filesystem;

GivenNames functions_of(const cli::Course& course, const cli::ExerciseInfo& exercise) {
    GivenNames names;
    for (const fs::path& folder : {course.root / "tensor/include", course.folder(exercise)}) {
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.path().extension() == ".hpp") names.merge(functions_in(build::read_file(entry.path())));
    }
    return names;
}

/// What of a folder would count as a submission; nothing where it is not there.
std::vector<build::SourceFile> sources_in(const fs::path& folder, const fs::path& course_folder) {
    if (!fs::is_directory(folder)) return {};
    return build::read_submission(folder, course_folder).files;
}

/// What stands between ```cpp and ``` in a lesson.
std::string code_of(const std::string& lesson) {
    std::istringstream lines(lesson);
    std::string code;
    bool is_code = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```"))
            is_code = line.starts_with("```cpp");
        else if (is_code)
            code += line + "\n";
    }
    return code;
}

}  // namespace

std::vector<build::SourceFile> given_files(const cli::Course& course, const cli::ExerciseInfo& exercise) {
    const fs::path stub = course.root / "stubs" / exercise.name;
    std::vector<build::SourceFile> files = sources_in(stub, course.folder(exercise));
    const std::string header = intake::name_without_number(exercise.name) + ".hpp";
    for (const auto& entry : fs::directory_iterator(course.folder(exercise)))
        if (build::is_source(entry.path()) &&
            (entry.path().filename() == header || entry.path().filename() == "visible_test.cpp"))
            files.push_back({entry.path().filename(), build::read_file(entry.path())});
    return files;
}

CourseMaterial material_of(const cli::Course& course, const cli::ExerciseInfo& exercise) {
    CourseMaterial material;
    material.names = functions_of(course, exercise);
    const auto prints = [&](const std::vector<build::SourceFile>& files) {
        return fingerprints_of(tokens_of(files, material.names));
    };
    std::vector<build::SourceFile> given = given_files(course, exercise);
    if (const fs::path lesson = course.root / exercise.lesson; fs::is_regular_file(lesson))
        given.push_back({"lesson.cpp", code_of(build::read_file(lesson))});
    material.given = prints(given);
    const fs::path accepted = course.root / "tests/accepted" / exercise.name;
    if (fs::is_directory(accepted))
        for (const auto& entry : fs::directory_iterator(accepted))
            if (entry.is_directory())
                material.accepted.push_back(prints(sources_in(entry.path() / exercise.name, course.folder(exercise))));
    std::erase_if(material.accepted, [](const Fingerprints& program) { return program.empty(); });
    material.solution = sources_in(course.root / "solutions" / exercise.name, course.folder(exercise));
    return material;
}

}  // namespace headway::classroom
