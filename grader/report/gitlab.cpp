#include "report/gitlab.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

/// GitLab takes two findings of one fingerprint for the same, and tells by it what a merge request has mended. [FNV-1a]
std::string fingerprint(const Finding& finding) {
    std::uint64_t hash = 14695981039346656037ULL;
    const std::string line = std::to_string(finding.line);
    for (const std::string_view part : {std::string_view(finding.file), std::string_view(line),
                                        std::string_view(finding.title), std::string_view(finding.message)}) {
        for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        hash = (hash ^ 0x100U) * 1099511628211ULL;  // no byte: ends the part
    }
    return fmt::format("{:016x}", hash);
}

}  // namespace

nlohmann::json gitlab_code_quality(const std::vector<Finding>& findings) {
    nlohmann::json report = nlohmann::json::array();
    for (const Finding& finding : findings)
        report.push_back(
            {{"description", verdict::showable(finding.title + ": " + finding.message)},
             {"check_name", "headway"},
             {"fingerprint", fingerprint(finding)},
             {"severity", "major"},
             {"location", {{"path", verdict::showable(finding.file)}, {"lines", {{"begin", finding.line}}}}}});
    return report;
}

}  // namespace headway::report
