#include "course_list.hpp"

#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace headway::lessons {
namespace {

/// What CMake wrote: "exercise 03_scaled_scores", "lab|train|its purpose|05_module 07_backward".
std::vector<std::vector<std::string>> lines_of_kind(const std::string& kind) {
    std::ifstream in(HEADWAY_COURSE_LIST);
    std::vector<std::vector<std::string>> found;
    for (std::string line; std::getline(in, line);) {
        std::vector<std::string> fields;
        std::istringstream rest(line);
        for (std::string field; std::getline(rest, field, '|');) fields.push_back(field);
        if (!fields.empty() && fields[0] == kind) found.push_back(fields);
    }
    if (found.empty()) throw std::runtime_error(std::string("no ") + kind + " in " + HEADWAY_COURSE_LIST);
    return found;
}

}  // namespace

std::vector<CourseExercise> exercises_of_the_course() {
    std::vector<CourseExercise> exercises;
    for (const std::vector<std::string>& fields : lines_of_kind("exercise")) {
        const toml::table table = toml::parse_file(HEADWAY_COURSE "/exercises/" + fields.at(1) + "/exercise.toml");
        const std::string lesson = table["lesson"].value_or(std::string());
        exercises.push_back({fields[1].substr(0, 2), table["title"].value_or(std::string()),
                             table["summary"].value_or(std::string()),
                             std::filesystem::path(lesson).filename().string()});
    }
    return exercises;
}

std::vector<CourseLab> labs_of_the_course() {
    std::vector<CourseLab> labs;
    for (const std::vector<std::string>& fields : lines_of_kind("lab")) {
        CourseLab lab{fields.at(1), fields.at(2), {}};
        std::istringstream needs(fields.at(3));
        for (std::string name; needs >> name;) lab.needs.push_back(name.substr(0, 2));
        labs.push_back(lab);
    }
    return labs;
}

}  // namespace headway::lessons
