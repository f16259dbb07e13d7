#include "intake/gradescope_export.hpp"

#include "intake/hand_in.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace headway::intake {
namespace {

/// The name of a folder beside the metadata: it is opened there, and must not lead elsewhere.
bool is_folder_name(const std::string& name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string("/\0", 2)) == std::string::npos;
}

/// Empty if it is not there.
std::string text_of(const YAML::Node& submitter, const char* key) {
    const YAML::Node value = submitter[key];
    return value && value.IsScalar() ? value.as<std::string>() : std::string();
}

}  // namespace

std::map<std::string, GradescopeSubmission> read_gradescope_metadata(const std::filesystem::path& file) try {
    std::map<std::string, GradescopeSubmission> submissions;
    for (const auto& entry : YAML::LoadFile(file.string())) {
        const auto folder = entry.first.as<std::string>();
        if (!is_folder_name(folder))
            throw std::runtime_error(
                fmt::format("{}: '{}' is not the name of a folder beside it", file.string(), folder.substr(0, 80)));
        GradescopeSubmission& submission = submissions[folder];
        for (const YAML::Node& submitter : entry.second[":submitters"]) {
            std::string student = text_of(submitter, ":sid");
            if (student.empty()) student = text_of(submitter, ":email");
            submission.students.insert(student.empty() ? folder : student);
        }
        if (submission.students.empty()) submission.students.insert(folder);
        if (const YAML::Node time = entry.second[":created_at"]; time && time.IsScalar())
            submission.submitted = utc(time.as<std::string>());
        if (submission.submitted) require_past(*submission.submitted, fmt::format("{}, {}", file.string(), folder));
    }
    return submissions;
} catch (const YAML::Exception& error) {
    throw std::runtime_error(fmt::format("{} is not what Gradescope exports: {}", file.string(), error.what()));
}

}  // namespace headway::intake
