#include "classroom/grading_run.hpp"

#include "grading/at_once.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace headway::classroom {
namespace {

using gradebook::Graded;
using gradebook::Job;
using std::chrono::steady_clock;

class Run {
public:
    Run(Ledger& ledger, const Grader& grader, const RunOptions& options)
        : ledger_(ledger), grader_(grader), options_(options) {
        state_.all = ledger.count_pending();
    }

    RunState run() {
        cli::at_once(options_.workers, [this] { work(); });
        return state_;
    }

private:
    void work() {
        try {
            while (const std::optional<Job> job = next()) grade(*job);
        } catch (...) {  // the ledger cannot be written: nothing that is graded now could be kept
            const std::lock_guard lock(mutex_);
            failed_ = true;
            throw;
        }
    }

    std::optional<Job> next() {
        const std::lock_guard lock(mutex_);
        if (failed_ || options_.stop()) return std::nullopt;
        if (jobs_.empty()) {
            std::ranges::copy(ledger_.pending_after(last_), std::back_inserter(jobs_));
            if (jobs_.empty()) return std::nullopt;
            last_ = jobs_.back();
        }
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        return job;
    }

    void grade(const Job& job) {
        begin(job);
        Graded graded;
        const Log log = [&](const std::string& line) {
            const std::lock_guard lock(log_mutex_);
            graded.log += verdict::now() + " " + line + "\n";
        };
        for (int tried = 1;; ++tried) {
            try_once(job, graded, log);
            if (graded.exercise.state != verdict::State::unavailable) break;
            log("the machine failed: " + graded.exercise.problem);
            note_outage(job, graded.exercise.problem);
            if (tried >= options_.tries || options_.stop()) return give_up(graded.exercise.problem);
            std::this_thread::sleep_for(options_.pause * tried);
        }
        graded.graded = verdict::now();
        const std::lock_guard lock(mutex_);
        ledger_.store(job, graded);
        ++state_.done;
        show();
    }

    void try_once(const Job& job, Graded& graded, const Log& log) {
        try {
            build::Submission submission;
            {
                const std::lock_guard lock(mutex_);
                submission = ledger_.source(job);
            }
            graded.exercise = grader_(submission, log);
        } catch (const gradebook::DatabaseError&) {
            throw;
        } catch (const std::exception& error) {
            graded.exercise.state = verdict::State::unavailable;
            graded.exercise.problem = error.what();
        }
    }

    void begin(const Job& job) {
        const std::lock_guard lock(mutex_);
        ledger_.begin(job);
    }

    void note_outage(const Job& job, const std::string& problem) {
        const std::lock_guard lock(mutex_);
        ledger_.store_outage(job, problem);
    }

    void give_up(const std::string& problem) {
        const std::lock_guard lock(mutex_);
        ++state_.unavailable;
        state_.last_problem = problem;
        show();
    }

    /// The lock is held.
    void show() {
        state_.seconds = std::chrono::duration<double>(steady_clock::now() - begin_).count();
        if (options_.progress) options_.progress(state_);
    }

    Ledger& ledger_;
    const Grader& grader_;
    const RunOptions& options_;
    steady_clock::time_point begin_ = steady_clock::now();
    std::mutex mutex_;      ///< of everything below, and of the ledger
    std::mutex log_mutex_;  ///< a grader may write its log from several threads
    std::deque<Job> jobs_;  ///< some of those that wait
    Job last_;              ///< of those taken from the ledger
    RunState state_;
    bool failed_ = false;
};

}  // namespace

RunState run_pending(Ledger& ledger, const Grader& grader, const RunOptions& options) {
    return Run(ledger, grader, options).run();
}

}  // namespace headway::classroom
