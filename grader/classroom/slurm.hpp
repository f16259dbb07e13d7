#pragma once

#include "classroom/batch_queue.hpp"

#include <map>
#include <string>
#include <vector>

namespace headway::classroom {

/// How a class goes to Slurm.
struct SlurmOptions {
    std::filesystem::path waves;                     ///< where the shards are
    std::vector<std::string> work;                   ///< the command that grades a shard, without the shard
    std::map<std::string, std::string> environment;  ///< of that command
    std::size_t processors = 1;                      ///< of a task
    std::string partition;                           ///< empty: the site's own choice
    std::string account;
    std::vector<std::string> more;  ///< for sbatch, as they are
};

/// Slurm, by its commands: sbatch, squeue, scancel and scontrol.
class Slurm : public BatchQueue {
public:
    explicit Slurm(SlurmOptions options) : options_(std::move(options)) {}

    QueueLimits limits() override;
    void submit(const std::string& wave, std::size_t shards) override;
    std::vector<QueuedTask> tasks(const std::vector<std::string>& waves) override;
    void cancel(const std::string& wave) override;
    void cancel(const QueuedTask& task) override;

private:
    SlurmOptions options_;
};

/// From `scontrol show config`.
QueueLimits limits_from(const std::string& config);

/// From lines of `squeue --format='%j|%K|%T|%i|%r'`; what is none of these waves is left out.
std::vector<QueuedTask> tasks_from(const std::string& lines, const std::vector<std::string>& waves);

/// What an array task runs: the batch script.
std::string batch_script(const SlurmOptions& options, const std::string& wave);

}  // namespace headway::classroom
