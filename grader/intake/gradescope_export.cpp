#include "gradescope_export.hpp"

#include "hand_in.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace headway::intake {

std::map<std::string, GradescopeSubmission> read_gradescope_metadata(const std::filesystem::path& file) try {
    std::map<std::string, GradescopeSubmission> submissions;
    for (const auto& entry : YAML::LoadFile(file.string())) {
        const auto folder = entry.first.as<std::string>();
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
