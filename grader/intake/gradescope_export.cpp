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
            const YAML::Node sid = submitter[":sid"];
            const bool known = sid && sid.IsScalar() && !sid.as<std::string>().empty();
            submission.students.push_back(known ? sid.as<std::string>() : folder);
        }
        if (const YAML::Node time = entry.second[":created_at"]; time && time.IsScalar())
            submission.submitted = utc(time.as<std::string>());
    }
    return submissions;
} catch (const YAML::Exception& error) {
    throw std::runtime_error(fmt::format("{} is not what Gradescope exports: {}", file.string(), error.what()));
}

}  // namespace headway::intake
