#include "classroom/batch_run.hpp"

#include "classroom/wave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <thread>

namespace headway::classroom {
namespace {

namespace fs = std::filesystem;
using gradebook::Graded;
using gradebook::Job;
using std::chrono::steady_clock;

class BatchRun {
public:
    BatchRun(gradebook::Gradebook& gradebook, const gradebook::Edition& edition, BatchQueue& queue,
             const BatchOptions& options)
        : gradebook_(gradebook), edition_(edition), queue_(queue), options_(options), limits_(queue.limits()) {
        if (options.most_queued > 0) limits_.queued = options.most_queued;
        most_shards_ = limits_.array;
    }

    RunState run() {
        find_waves();
        state_.all = gradebook_.count_pending(edition_);
        while (!waves_.empty() || is_anything_waiting()) {
            // In this order: what ends after the question has its results read in the next round.
            const auto tasks = queued();
            merge_results();
            if (tasks) {
                take_out_stuck(*tasks);
                close_waves(*tasks);
                hand_in(tasks->size());
            }
            show(tasks.value_or(std::vector<QueuedTask>{}));
            if (options_.stop() || !pause()) break;
        }
        return state_;
    }

private:
    void find_waves() {
        fs::create_directories(options_.waves);
        fs::permissions(options_.waves, fs::perms::owner_all);  // manifests hold the secret seed
        for (const auto& entry : fs::directory_iterator(options_.waves)) {
            waves_.push_back(read_wave(entry.path()));
            // Jobs of another edition are left out: they were to be judged otherwise.
            for (SentShard& shard : waves_.back().shards) {
                std::erase_if(shard.open, [&](const Job& job) { return !is_of_this_edition(job); });
                found_.insert(shard.open.begin(), shard.open.end());
            }
        }
    }

    bool is_of_this_edition(const Job& job) const {
        const auto suite = edition_.suites.find(job.exercise);
        return suite != edition_.suites.end() && suite->second == job.suite;
    }

    /// Reads on in the gradebook when nothing is at hand: nobody needs to hold all of a class.
    bool is_anything_waiting() {
        const std::size_t at_once = std::min<std::size_t>(1000, options_.most_in_flight);
        while (waiting_.empty() && !is_all_read_) {
            const std::vector<Job> page = gradebook_.pending(edition_, last_read_, at_once);
            is_all_read_ = page.empty();
            if (is_all_read_) break;
            last_read_ = page.back();
            std::ranges::copy_if(page, std::back_inserter(waiting_),
                                 [&](const Job& job) { return !found_.contains(job); });
        }
        return !waiting_.empty();
    }

    std::size_t in_flight() const {
        std::size_t programs = 0;
        for (const Wave& wave : waves_)
            for (const SentShard& shard : wave.shards) programs += shard.open.size();
        return programs;
    }

    /// Nothing if the batch system gives no answer, which may be for a while.
    std::optional<std::vector<QueuedTask>> queued() {
        if (waves_.empty()) return std::vector<QueuedTask>{};
        std::vector<std::string> names;
        for (const Wave& wave : waves_) names.push_back(wave.name);
        try {
            auto tasks = queue_.tasks(names);
            heard_ = steady_clock::now();
            return tasks;
        } catch (const QueueError& error) {
            if (is_out_of_patience()) throw;
            state_.last_problem = error.what();
            return std::nullopt;
        }
    }

    bool is_out_of_patience() const { return steady_clock::now() - heard_ > options_.patience; }

    /// Whether the batch system says anything at all.
    bool answers() {
        try {
            queue_.limits();
            return true;
        } catch (const QueueError&) {
            return false;
        }
    }

    void merge_results() {
        for (Wave& wave : waves_)
            for (SentShard& shard : wave.shards) merge(shard);
    }

    void merge(SentShard& shard) {
        constexpr std::size_t at_once = 64;
        std::vector<std::pair<Job, Graded>> verdicts;
        const auto keep = [&] {
            state_.done += gradebook_.store(verdicts);
            verdicts.clear();
        };
        shard.results.read([&](ResultEntry entry) {
            shard.has_begun = true;
            if (!shard.open.contains(entry.job)) return;
            shard.begun.insert(entry.job);
            if (entry.kind == ResultEntry::Kind::outage) gradebook_.store_outage(entry.job, entry.problem);
            if (entry.kind == ResultEntry::Kind::outage) state_.last_problem = entry.problem;
            if (entry.kind != ResultEntry::Kind::verdict || !is_verdict_on(entry)) return;
            shard.open.erase(entry.job);
            shard.begun.erase(entry.job);
            verdicts.emplace_back(std::move(entry.job), std::move(entry.graded));
            if (verdicts.size() == at_once) keep();
        });
        keep();
    }

    static bool is_verdict_on(const ResultEntry& entry) {
        return entry.graded.exercise.name == entry.job.exercise &&
               entry.graded.exercise.state != verdict::State::unavailable;
    }

    void close_waves(const std::vector<QueuedTask>& tasks) {
        std::erase_if(waves_, [&](Wave& wave) {
            const bool is_queued = std::ranges::find(tasks, wave.name, &QueuedTask::wave) != tasks.end();
            if (is_queued && !wave.is_done()) return false;
            for (const SentShard& shard : wave.shards) take_back(shard);
            if (is_queued) cancel(wave.name);  // what was requeued though it had done all
            remove(wave.name);
            return true;
        });
    }

    void remove(const std::string& wave) const {
        std::error_code ignored;  // somebody else's hand on it: the next run does it
        fs::remove_all(options_.waves / wave, ignored);
    }

    /// Nobody is waited for who may never come; what these had to do is handed in again.
    void take_out_stuck(const std::vector<QueuedTask>& tasks) {
        for (const QueuedTask& task : tasks)
            if (task.is_stuck) cancel(task);
    }

    /// @param what  a wave's name, or a task
    template <class What>
    void cancel(const What& what) {
        try {
            queue_.cancel(what);
        } catch (const QueueError&) {
            // It finds no folder, and ends.
        }
    }

    /// What the shard's task did not bring to its end.
    void take_back(const SentShard& shard) {
        if (shard.open.empty()) return;
        const std::string problem =
            "its task ended without a verdict (a lost node, out of time or of memory?); " + last_words(shard.folder);
        for (const Job& job : shard.open) {
            // What was not begun is not at fault, unless nothing was.
            const bool counts = !shard.has_begun || shard.begun.contains(job);
            if (counts) gradebook_.store_outage(job, problem);
            if (counts) state_.last_problem = problem;
            if (counts && ++tried_[job] >= options_.tries)
                give_up(job);
            else
                waiting_.push_back(job);
        }
    }

    void give_up(const Job& job) {
        given_up_.insert(job);
        state_.unavailable = given_up_.size();
    }

    /// As much as the site allows.
    void hand_in(std::size_t queued) {
        bool is_refused = false;
        while (is_anything_waiting() && queued < limits_.queued && in_flight() < options_.most_in_flight) {
            const auto shards = next_shards(std::min(most_shards_, limits_.queued - queued));
            try {
                submit(shards);
                heard_ = steady_clock::now();
                queued += shards.size();
                most_shards_ = std::min(limits_.array, most_shards_ * 2);
            } catch (const QueueError& error) {
                for (auto shard = shards.rbegin(); shard != shards.rend(); ++shard)
                    waiting_.insert(waiting_.begin(), shard->begin(), shard->end());
                state_.last_problem = error.what();
                most_shards_ = shards.size() / 2;
                if (most_shards_ > 0) continue;
                most_shards_ = 1;
                const bool nothing_of_ours_is_in_its_way = waves_.empty();
                if (!nothing_of_ours_is_in_its_way) return;
                if (is_out_of_patience() || is_refused) throw;
                if (!answers()) return;
                is_refused = true;  // unless it was away only just now
            }
        }
    }

    /// At most `most` shards of what waits; no more is begun than may be in flight.
    std::vector<std::vector<Job>> next_shards(std::size_t most) {
        std::vector<std::vector<Job>> shards(1);
        std::set<std::int64_t> attempts;
        std::size_t programs = in_flight();
        for (; is_anything_waiting(); ++programs) {
            attempts.insert(waiting_.front().attempt);
            if (attempts.size() > options_.shard_size) {
                if (shards.size() == most || programs >= options_.most_in_flight) break;
                shards.emplace_back();
                attempts = {waiting_.front().attempt};
            }
            shards.back().push_back(std::move(waiting_.front()));
            waiting_.pop_front();
        }
        return shards;
    }

    void submit(const std::vector<std::vector<Job>>& shards) {
        Wave wave{new_wave_name(), {}};
        const fs::path folder = options_.waves / wave.name;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            const Manifest manifest = manifest_of(shards[i]);
            write_manifest(folder / std::to_string(i), manifest);
            wave.shards.push_back(sent_shard(folder / std::to_string(i), manifest));
        }
        try {
            queue_.submit(wave.name, shards.size());
        } catch (const QueueError&) {
            cancel(wave.name);  // the answer may have been lost, and not the question
            remove(wave.name);
            throw;
        }
        waves_.push_back(std::move(wave));
    }

    Manifest manifest_of(const std::vector<Job>& jobs) {
        Manifest manifest{edition_.seed, {}, {}};
        for (const Job& job : jobs) try {
                manifest.work.emplace_back(job, gradebook_.source(job));
                manifest.suites[job.exercise] = job.suite;
            } catch (const gradebook::DatabaseError&) {
                throw;
            } catch (const std::exception& damaged) {
                state_.last_problem = damaged.what();
                gradebook_.store_outage(job, damaged.what());
                give_up(job);
            }
        return manifest;
    }

    void show(const std::vector<QueuedTask>& tasks) {
        state_.seconds = std::chrono::duration<double>(steady_clock::now() - begin_).count();
        QueueState queue;
        for (const QueuedTask& task : tasks) {
            ++(task.state == "RUNNING" ? queue.running : queue.waiting);
            if (task.state == "PENDING") queue.reason = task.reason;
        }
        if (options_.progress) options_.progress(state_, queue);
    }

    /// @return false if it is to stop
    bool pause() const {
        if (waves_.empty() && waiting_.empty() && is_all_read_) return true;
        const auto end = steady_clock::now() + options_.poll;
        while (steady_clock::now() < end) {
            if (options_.stop()) return false;
            std::this_thread::sleep_for(
                std::min<std::chrono::milliseconds>(options_.poll, std::chrono::milliseconds(100)));
        }
        return true;
    }

    gradebook::Gradebook& gradebook_;
    const gradebook::Edition& edition_;
    BatchQueue& queue_;
    const BatchOptions& options_;
    QueueLimits limits_;
    std::size_t most_shards_;  ///< of the next wave: fewer after it was refused
    std::vector<Wave> waves_;
    Jobs found_;  ///< what was in flight at the beginning: handed in already
    std::deque<Job> waiting_;
    Job last_read_;  ///< of what is pending in the gradebook
    bool is_all_read_ = false;
    std::map<Job, int, BySourceAndSuite> tried_;
    Jobs given_up_;
    RunState state_;
    steady_clock::time_point begin_ = steady_clock::now();
    steady_clock::time_point heard_ = begin_;
};

}  // namespace

RunState run_in_batches(gradebook::Gradebook& gradebook, const gradebook::Edition& edition, BatchQueue& queue,
                        const BatchOptions& options) {
    return BatchRun(gradebook, edition, queue, options).run();
}

}  // namespace headway::classroom
