#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::classroom {

/// The batch system says no, or nothing; in its words.
struct QueueError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A task of an array job that has not ended.
struct QueuedTask {
    std::string wave;
    std::size_t shard = 0;
    std::string state;  ///< "RUNNING", "PENDING", ...
    std::string reason;
    std::string id = {};    ///< the batch system's own
    bool is_stuck = false;  ///< it waits for an administrator after a failure of the site
};

/// What a site allows.
struct QueueLimits {
    std::size_t array = 1000;   ///< tasks of one array
    std::size_t queued = 5000;  ///< tasks at once, running or waiting
};

/// A batch system that runs arrays of shards. A wave is one array: its name is the job's, and each of its shards is the
/// folder `waves`/NAME/INDEX.
class BatchQueue {
public:
    virtual ~BatchQueue() = default;

    /// @throws QueueError, all of these
    virtual QueueLimits limits() = 0;
    virtual void submit(const std::string& wave, std::size_t shards) = 0;
    /// Those of these waves.
    virtual std::vector<QueuedTask> tasks(const std::vector<std::string>& waves) = 0;
    virtual void cancel(const std::string& wave) = 0;
    virtual void cancel(const QueuedTask& task) = 0;
};

}  // namespace headway::classroom
