#include "classroom/slurm.hpp"

#include "sandbox/process.hpp"
#include "submission/digest.hpp"
#include "terminal/shell_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include <unistd.h>

namespace headway::classroom {
namespace {

using sandbox::Finished;

constexpr std::chrono::seconds patience{120};  ///< slurm's own commands try again for a while
constexpr std::size_t most_output = std::size_t{64} << 20U;
constexpr int no_such_program = 127;  ///< env's

/// Without what would have squeue show less than there is.
std::vector<std::string> our_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (!std::string_view(*variable).starts_with("SQUEUE_")) variables.emplace_back(*variable);
    return variables;
}

/// @throws QueueError unless it succeeds
std::string ask(std::vector<std::string> arguments) {
    const std::string name = arguments.front();
    arguments.insert(arguments.begin(), "/usr/bin/env");  // finds it in PATH
    sandbox::Command command;
    command.arguments = std::move(arguments);
    command.environment = our_environment();
    const Finished finished =
        sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::slurm), patience, most_output);
    if (finished.ended.exit_code == no_such_program)
        throw QueueError(
            fmt::format("there is no {} on this machine. Run this where jobs are handed to Slurm, or without --engine "
                        "slurm to grade here",
                        name));
    if (finished.timed_out) throw QueueError(fmt::format("{} gave no answer in {} s", name, patience.count()));
    if (!finished.ended.success() || finished.output_truncated)
        throw QueueError(fmt::format("{} says: {}", name, finished.output.substr(0, 600)));
    return finished.output;
}

std::optional<std::size_t> number_from(std::string_view text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// Slurm's patterns for file names give %a and its like a meaning.
std::string without_patterns(std::string path) {
    for (std::size_t at = 0; (at = path.find('%', at)) != std::string::npos; at += 2) path.insert(at, "%");
    return path;
}

}  // namespace

QueueLimits limits_from(const std::string& config) {
    QueueLimits limits;
    std::istringstream lines(config);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, equals, value;
        words >> name >> equals >> value;
        const auto number = number_from(value);
        if (!number) continue;
        // Indices are smaller than MaxArraySize. Half of all jobs are left to others.
        if (name == "MaxArraySize") limits.array = std::max<std::size_t>(1, *number);
        if (name == "MaxJobCount") limits.queued = std::max<std::size_t>(1, *number / 2);
    }
    return limits;
}

std::vector<QueuedTask> tasks_from(const std::string& lines, const std::vector<std::string>& waves) {
    std::vector<QueuedTask> tasks;
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream fields(line);
        std::string wave, shard, state, id, reason;
        std::getline(fields, wave, '|');
        std::getline(fields, shard, '|');
        std::getline(fields, state, '|');
        std::getline(fields, id, '|');
        std::getline(fields, reason);
        const auto index = number_from(shard);
        if (!index || std::ranges::find(waves, wave) == waves.end()) continue;
        // "launch failed requeued held", "job requeued in held state"; what a person holds is that person's.
        const bool is_stuck = state == "PENDING" && reason.find("requeued") != std::string::npos;
        tasks.push_back({wave, *index, state, reason, id, is_stuck});
    }
    return tasks;
}

std::string batch_script(const SlurmOptions& options, const std::string& wave) {
    std::string script = "#!/bin/sh\n";
    for (const auto& [name, value] : options.environment)
        script += fmt::format("{}={}\nexport {}\n", name, report::shell_word(value), name);
    script += "exec";
    script += " " + report::shell_words(options.work);
    return script + fmt::format(" {}/\"$SLURM_ARRAY_TASK_ID\"\n", report::shell_word((options.waves / wave).string()));
}

QueueLimits Slurm::limits() { return limits_from(ask({"scontrol", "show", "config"})); }

void Slurm::submit(const std::string& wave, std::size_t shards) {
    const std::filesystem::path folder = options_.waves / wave;
    build::write_file(folder / "script", batch_script(options_, wave));
    std::vector<std::string> arguments = {"sbatch",
                                          "--parsable",
                                          "--requeue",
                                          "--job-name=" + wave,
                                          fmt::format("--array=0-{}", shards - 1),
                                          fmt::format("--cpus-per-task={}", options_.processors),
                                          "--nodes=1",
                                          "--ntasks=1",
                                          "--chdir=/",
                                          "--open-mode=append",
                                          "--signal=B:TERM@60",  // out of time soon: begin nothing new
                                          fmt::format("--output={}/%a/log", without_patterns(folder.string()))};
    if (!options_.partition.empty()) arguments.push_back("--partition=" + options_.partition);
    if (!options_.account.empty()) arguments.push_back("--account=" + options_.account);
    arguments.insert(arguments.end(), options_.more.begin(), options_.more.end());
    arguments.push_back((folder / "script").string());
    ask(std::move(arguments));
}

std::vector<QueuedTask> Slurm::tasks(const std::vector<std::string>& waves) {
    if (waves.empty()) return {};
    return tasks_from(ask({"squeue", "--noheader", "--array", "--format=%j|%K|%T|%i|%r",
                           fmt::format("--name={}", fmt::join(waves, ","))}),
                      waves);
}

void Slurm::cancel(const std::string& wave) { ask({"scancel", "--name=" + wave}); }

void Slurm::cancel(const QueuedTask& task) { ask({"scancel", task.id}); }

}  // namespace headway::classroom
