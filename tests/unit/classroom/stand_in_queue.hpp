#pragma once

#include "classroom/batch_queue.hpp"
#include "classroom/shard.hpp"

#include <algorithm>
#include <map>

namespace headway::classroom {

/// What grading it gives, wherever.
inline gradebook::Graded graded(const gradebook::Job& job, const build::Submission& source) {
    gradebook::Graded graded;
    graded.exercise.name = job.exercise;
    graded.exercise.digest = source.digest();
    graded.exercise.state = verdict::State::failed;
    graded.exercise.points = static_cast<int>(source.files.front().text.size());
    graded.graded = "2026-05-01T12:00:00Z";
    return graded;
}

/// How a task ends.
enum class Fate { done, lost_before, lost_midway, out_of_order, held };

/// A batch system that loses tasks. They run when it is looked at.
class StandInQueue : public BatchQueue {
public:
    explicit StandInQueue(std::filesystem::path waves) : waves_(std::move(waves)) {}

    QueueLimits limits() override {
        answer();
        return allowed;
    }

    void submit(const std::string& wave, std::size_t shards) override {
        answer();
        if (shards > most_accepted) throw QueueError("job submit limit");
        largest_array = std::max(largest_array, shards);
        for (std::size_t i = 0; i < shards; ++i) waiting_.push_back({wave, i, "PENDING", "Resources"});
        most_waiting = std::max(most_waiting, waiting_.size());
    }

    /// Two of them run meanwhile.
    std::vector<QueuedTask> tasks(const std::vector<std::string>&) override {
        if (silent > 0 && silent-- > 0) throw QueueError("no answer");
        auto shown = waiting_;
        for (int i = 0; i < 2 && !waiting_.empty() && !stuck; ++i) {
            const QueuedTask next = waiting_.front();
            waiting_.erase(waiting_.begin());
            if (run(next) == Fate::held) waiting_.push_back(held(next));
        }
        if (ends_meanwhile) shown = waiting_;
        return shown;
    }

    void cancel(const QueuedTask& task) override {
        std::erase_if(waiting_, [&](auto& one) { return one.wave == task.wave && one.shard == task.shard; });
    }
    void cancel(const std::string& wave) override {
        std::erase_if(waiting_, [&](auto& one) { return one.wave == wave; });
    }

    QueueLimits allowed{4, 6};
    std::size_t most_accepted = 100;
    std::size_t largest_array = 0;
    std::size_t most_waiting = 0;
    int silent = 0;
    int away_after = 0, away_before = 0;  ///< the calls of limits and submit between these two are not answered
    bool stuck = false;
    bool ends_meanwhile = false;       ///< what runs while the queue is asked for is over in the answer
    std::map<int, Fate> fates;         ///< by the number of the task, from 0 in the order in which they run
    std::string poison;                ///< a source that ends its task
    std::map<std::string, int> begun;  ///< source -> how often
    int ran = 0;

private:
    void answer() {
        if (const int call = ++calls_; call > away_after && call < away_before) throw QueueError("no answer");
    }

    static QueuedTask held(QueuedTask task) {
        task.is_stuck = true;
        return task;
    }

    Fate run(const QueuedTask& task) {
        if (task.is_stuck) return Fate::held;
        const auto found = fates.find(ran++);
        const Fate fate = found == fates.end() ? Fate::done : found->second;
        if (fate == Fate::lost_before || fate == Fate::held) return fate;
        Shard shard(waves_ / task.wave / std::to_string(task.shard));
        for (const gradebook::Job& job : shard.pending()) {
            shard.begin(job);
            ++begun[job.source];
            if (job.source == poison || fate == Fate::lost_midway) return fate;
            if (fate == Fate::out_of_order)
                shard.store_outage(job, "the node's disk is full");
            else
                shard.store(job, graded(job, shard.source(job)));
        }
        return fate;
    }

    std::filesystem::path waves_;
    std::vector<QueuedTask> waiting_;
    int calls_ = 0;
};

}  // namespace headway::classroom
