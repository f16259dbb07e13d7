#include "grading/course.hpp"

#include "grading/whose_code.hpp"

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
verdict::Tell read_tell(const fs::path& file) {
    if (!fs::exists(file)) return verdict::Tell::full;
    return verdict::tell_from(toml::parse_file(file.string())["tell"].value_or(std::string("full")));
}

/// What of this file the course is to go by. @throws CourseError
template <class Read>
auto from_policy(const fs::path& file, Read read) {
    const std::string next = "Mend it, or git checkout -- policy.toml brings it back.";
    try {
        return read(file);
    } catch (const toml::parse_error& error) {
        throw CourseError(fmt::format("cannot read {}: {}. {}", file.string(), error.description(), next));
    } catch (const std::runtime_error& error) {
        throw CourseError(fmt::format("{}: {}. {}", file.string(), error.what(), next));
    }
}

fs::path from_environment(const char* name, const fs::path& otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? fs::absolute(value) : otherwise;
}

/// Tried when it is first asked for: most commands need no jail.
std::shared_future<sandbox::Survey> survey_later(const Course& course, const sandbox::Policy& policy) {
    return std::async(std::launch::deferred, [root = course.root, state = course.state,
                                              programs = course.toolchain.judge.parent_path(),
                                              counts = course.toolchain.orderly, policy] {
        if (counts) return sandbox::without_jail(policy, "this build counts coverage, in files of its own");
        const sandbox::Places places{
            .programs = programs, .secret = root, .closed = closed_files(root, programs), .kept = {root, state}};
        return sandbox::survey(places, policy);
    });
}

}  // namespace

Course Course::load(const fs::path& root, const fs::path& build_folder) {
    Course course;
    course.root = root;
    course.state = from_environment("HEADWAY_STATE", root / ".headway");
    course.policy = from_environment("HEADWAY_POLICY", root / "policy.toml");
    try {
        course.toolchain = build::Toolchain::load(build_folder / "grader.json");
    } catch (const std::runtime_error& error) {
        throw CourseError(error.what());
    }
    for (const std::string& name : course.toolchain.exercises)
        course.exercises.push_back(read_info(root / "exercises" / name));
    course.tell = from_policy(course.policy, read_tell);
    course.survey = survey_later(course, from_policy(course.policy, sandbox::read_policy));
    return course;
}

const ExerciseInfo& Course::find(const std::string& number_or_name) const {
    // Completed by a shell it is a folder: "exercises/01_single_head/".
    const fs::path folder = fs::path(number_or_name).lexically_normal();
    const std::string named = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
    const std::string padded = named.size() == 1 ? "0" + named : named;
    std::string known;
    for (const ExerciseInfo& exercise : exercises) {
        if (exercise.number == padded || exercise.name == named) return exercise;
        known += (known.empty() ? "" : ", ") + exercise.number;
    }
    // What an editor's task asks for where a lesson is open.
    const bool is_number = number_or_name.find_first_not_of("0123456789") == std::string::npos;
    throw UsageError(fmt::format("there is no exercise {}; there are {}{}", number_or_name, known,
                                 is_number ? "" : ". In an editor: open a file of the exercise first"));
}

}  // namespace headway::cli
