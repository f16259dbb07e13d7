// Starting the judge: its limits, its arguments, and what its end means.
#include "grading.hpp"

#include "../sandbox/control_group.hpp"
#include "../sandbox/process.hpp"

#include <fmt/format.h>

#include <memory>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using build::Flavour;

/// On any clock. What a submission can take is far less: this is for a machine that has no time for either.
constexpr std::chrono::seconds longest_judging{1800};

/// Bounds what a judge takes of the machine, whatever it is sent: a little above what it bounds itself to (see
/// judge::bound_own_memory), so that it can still say what has happened. Its workers have groups of their own. Null
/// where no group can be made: then its own bound is all there is.
std::shared_ptr<sandbox::ControlGroup> group_of_a_judge(const sandbox::Policy& policy) {
    constexpr std::uint64_t room_above = sandbox::mebibytes(256);
    constexpr std::uint64_t processes = 4096;  // the workers' are bounded where they live
    std::string ignored;
    return sandbox::ControlGroup::make({.memory = policy.judge.memory + room_above, .processes = processes}, ignored);
}

}  // namespace

nlohmann::json run_judge(const Course& course, const std::string& exercise, const fs::path& worker, Flavour flavour,
                         std::uint64_t seed, const std::vector<std::string>& more_options) {
    sandbox::Command command;
    command.arguments = {
        course.toolchain.judge.string(),      "--exercise", exercise, "--worker", worker.string(), "--seed-under",
        std::to_string(sandbox::number::seed)};
    // Command lines are for everybody to read, and the seed of a class is secret.
    command.attachments = {{sandbox::number::seed, std::to_string(seed)}};
    command.arguments.insert(command.arguments.end(), more_options.begin(), more_options.end());
    if (flavour == Flavour::sanitized) command.arguments.emplace_back("--sanitized");
    if (!exercise.empty() && !course.toolchain.builds(exercise, Flavour::sanitized))
        command.arguments.emplace_back("--lone-build");
    if (course.toolchain.orderly) command.arguments.emplace_back("--orderly");
    command.arguments.insert(command.arguments.end(),
                             {"--policy", course.policy.string(), "--jail", course.machine().jail.name()});
    command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
    if (course.machine().jail.exists()) command.group = group_of_a_judge(course.machine().jail.policy());
    const auto finished = sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::judge), longest_judging,
                                       std::size_t{256} << 20U);
    if (finished.ended.success() && !finished.timed_out && !finished.output_truncated)
        return nlohmann::json::parse(finished.output);
    const std::string how = finished.timed_out           ? "after 30 minutes"
                            : finished.out_of_memory     ? "it needed more memory than policy.toml gives a judge"
                            : finished.ended.signal != 0 ? fmt::format("signal {}", finished.ended.signal)
                                                         : fmt::format("exit status {}", finished.ended.exit_code);
    throw std::runtime_error(fmt::format("the judge did not finish ({}): {}", how, finished.output.substr(0, 400)));
}

}  // namespace headway::cli
