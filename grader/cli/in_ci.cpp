#include "cli/in_ci.hpp"

#include "report/classroom_points.hpp"
#include "report/findings.hpp"
#include "report/github.hpp"
#include "report/gitlab.hpp"
#include "report/sarif.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <openssl/evp.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// The variable's value; empty without one.
std::string from_runner(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

bool is_below(const fs::path& relative) { return !relative.empty() && *relative.begin() != ".."; }

/// As the platform calls the file: from the root of the repository, or, where no platform names one, from here.
std::string in_repository(const fs::path& file) {
    const fs::path whole = fs::weakly_canonical(file);
    for (const char* variable : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
        const std::string root = from_runner(variable);
        if (root.empty()) continue;
        const fs::path relative = whole.lexically_relative(fs::weakly_canonical(root));
        if (is_below(relative)) return relative.string();
    }
    return whole.lexically_relative(fs::current_path()).string();
}

/// @param graded  below the folder that was graded
report::Location location_in_repository(const report::Location& graded, const HandedIn& handed_in) {
    const fs::path origin = handed_in.origin_of(graded.file);
    if (intake::is_archive(origin)) return {in_repository(origin)};  // the lines are those of a file in it
    return {in_repository(origin), graded.line};
}

std::vector<report::Finding> findings_in_repository(const verdict::Verdict& verdict, const HandedIn& handed_in) {
    std::vector<report::Finding> findings = report::findings(verdict);
    for (report::Finding& finding : findings) {
        const report::Location location =
            location_in_repository({finding.exercise + "/" + finding.file, finding.line}, handed_in);
        finding.file = location.file;
        finding.line = location.line.value_or(1);
    }
    return findings;
}

std::string base64(const std::string& bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock ends it with a 0
    const int size =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

/// To the file that a variable names, if it does.
void append_to(const char* variable, const std::string& text) {
    if (const std::string file = from_runner(variable); !file.empty()) std::ofstream(file, std::ios::app) << text;
}

}  // namespace

void tell_github(const verdict::Verdict& verdict, const HandedIn& handed_in) {
    fmt::print("{}", report::github_annotations(findings_in_repository(verdict, handed_in)));
    append_to("GITHUB_STEP_SUMMARY", report::github_summary(verdict));
    append_to("GITHUB_OUTPUT", "result=" + base64(report::classroom_points(verdict).dump()) + "\n");
}

std::string code_quality(const verdict::Verdict& verdict, const HandedIn& handed_in) {
    return report::gitlab_code_quality(findings_in_repository(verdict, handed_in)).dump(2) + "\n";
}

std::string sarif(const verdict::Verdict& verdict, const HandedIn& handed_in) {
    const auto renamed = [&](const report::Location& graded) { return location_in_repository(graded, handed_in); };
    return report::sarif(verdict, renamed).dump(2) + "\n";
}

}  // namespace headway::cli
