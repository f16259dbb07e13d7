#pragma once

#include "build/toolchain.hpp"
#include "sandbox/survey.hpp"
#include "verdict/withhold.hpp"

#include <filesystem>
#include <future>
#include <string>
#include <vector>

namespace headway::cli {

/// What exercise.toml says.
struct ExerciseInfo {
    std::string name;    ///< "03_scaled_scores"
    std::string number;  ///< "03"
    std::string title;
    std::string summary;
    std::string lesson;  ///< path from the course's root
    std::vector<std::string> hints;
};

/// Wrong usage: exit status 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The machine or the course is at fault: exit status 3.
struct CourseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A checkout of the course: where things are, and what the exercises are called.
struct Course {
    std::filesystem::path root;
    std::filesystem::path state;  ///< what grading leaves behind; $HEADWAY_STATE, or .headway in the root
    build::Toolchain toolchain;
    std::vector<ExerciseInfo> exercises;
    std::filesystem::path policy;              ///< policy.toml, or $HEADWAY_POLICY
    verdict::Tell tell = verdict::Tell::full;  ///< the policy: how much a verdict tells
    std::shared_future<sandbox::Survey> survey;

    /// @throws CourseError
    static Course load(const std::filesystem::path& root, const std::filesystem::path& build_folder);

    /// By number ("03", "3") or name. @throws UsageError, listing what there is
    const ExerciseInfo& find(const std::string& number_or_name) const;
    /// What this machine protects against; found out when it is first asked for.
    const sandbox::Survey& machine() const { return survey.get(); }
    std::filesystem::path folder(const ExerciseInfo& exercise) const { return root / "exercises" / exercise.name; }
};

}  // namespace headway::cli
