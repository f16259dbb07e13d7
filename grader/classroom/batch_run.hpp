#pragma once

#include "classroom/batch_queue.hpp"
#include "classroom/grading_run.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace headway::classroom {

/// Where the tasks of a run on a batch system are.
struct QueueState {
    std::size_t running = 0;
    std::size_t waiting = 0;
    std::string reason;  ///< why one of those waits, in the batch system's words
};

struct BatchOptions {
    std::filesystem::path waves;   ///< where the shards are; every node must see it
    std::size_t shard_size = 100;  ///< hand-ins
    std::size_t most_queued = 0;   ///< tasks at once; 0: what the site allows
    /// Programs in the queue at once, that a class of any size fits into memory: some 0.5 KiB each, and twice that
    /// after a restart, for what was in the queue then.
    std::size_t most_in_flight = 400'000;
    int tries = 3;  ///< of what was in flight when a task ended
    std::chrono::milliseconds poll{10000};
    std::chrono::milliseconds patience{600'000};  ///< with a batch system that gives no answer
    std::function<void(const RunState&, const QueueState&)> progress = {};
    /// Asked often: whether to go. Tasks in the queue stay there.
    std::function<bool()> stop = [] { return false; };
};

/// Has what is pending in this edition graded in shards by a batch system, and merges their results into the gradebook.
/// If this is interrupted or killed, the next run finds the waves and goes on with the tasks that are still in the
/// queue. What a task did not bring to its end (a lost node, out of time) is handed in again, but what was in flight
/// when one ended at most `tries` times: it could be what ends them.
/// @throws QueueError, ShardError, gradebook::DatabaseError
RunState run_in_batches(gradebook::Gradebook& gradebook, const gradebook::Edition& edition, BatchQueue& queue,
                        const BatchOptions& options);

}  // namespace headway::classroom
