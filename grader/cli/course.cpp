#include "course.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cstdlib>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

ExerciseInfo read_info(const fs::path& folder) {
    ExerciseInfo info;
    info.name = folder.filename().string();
    info.number = info.name.substr(0, 2);
    const fs::path file = folder / "exercise.toml";
    try {
        const toml::table table = toml::parse_file(file.string());
        info.title = table["title"].value_or(info.name);
        info.summary = table["summary"].value_or("");
        info.lesson = table["lesson"].value_or("");
        if (const toml::array* hints = table["hints"].as_array())
            for (const toml::node& hint : *hints) info.hints.push_back(hint.value_or(std::string()));
    } catch (const toml::parse_error& error) {
        throw CourseError(
            fmt::format("cannot read {}: {}. It is part of the course; git checkout -- {} brings it back.",
                        file.string(), error.description(), file.string()));
    }
    return info;
}

/// How much a verdict tells. Without a policy everything.
verdict::Tell read_policy(const fs::path& file) {
    if (!fs::exists(file)) return verdict::Tell::full;
    const std::string next = "Mend it, or git checkout -- policy.toml brings it back.";
    try {
        return verdict::tell_from(toml::parse_file(file.string())["tell"].value_or(std::string("full")));
    } catch (const toml::parse_error& error) {
        throw CourseError(fmt::format("cannot read {}: {}. {}", file.string(), error.description(), next));
    } catch (const std::runtime_error& error) {
        throw CourseError(fmt::format("{}: {}. {}", file.string(), error.what(), next));
    }
}

}  // namespace

Course Course::load(const fs::path& root, const fs::path& build_folder) {
    Course course;
    course.root = root;
    const char* state = std::getenv("HEADWAY_STATE");
    course.state = state != nullptr && *state != '\0' ? fs::absolute(state) : root / ".headway";
    try {
        course.toolchain = build::Toolchain::load(build_folder / "grader.json");
    } catch (const std::runtime_error& error) {
        throw CourseError(error.what());
    }
    for (const std::string& name : course.toolchain.exercises)
        course.exercises.push_back(read_info(root / "exercises" / name));
    course.tell = read_policy(root / "policy.toml");
    return course;
}

const ExerciseInfo& Course::find(const std::string& number_or_name) const {
    const std::string padded = number_or_name.size() == 1 ? "0" + number_or_name : number_or_name;
    std::string known;
    for (const ExerciseInfo& exercise : exercises) {
        if (exercise.number == padded || exercise.name == number_or_name) return exercise;
        known += (known.empty() ? "" : ", ") + exercise.number;
    }
    throw UsageError(fmt::format("there is no exercise {}; there are {}", number_or_name, known));
}

}  // namespace headway::cli
