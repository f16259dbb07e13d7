#pragma once

#include "classroom/ledger.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace headway::classroom {

/// Writes a line to the log of what is being graded.
using Log = std::function<void(const std::string&)>;

/// Grades one exercise of one submission. What the machine is at fault for is State::unavailable, or an exception.
using Grader = std::function<verdict::Exercise(const build::Submission&, const Log&)>;

/// How far a run is.
struct RunState {
    std::size_t all = 0;
    std::size_t done = 0;         ///< graded and stored
    std::size_t unavailable = 0;  ///< given up for now: the machine's fault
    double seconds = 0;
    std::string last_problem;  ///< of the machine

    /// A second; 0 at the beginning.
    double rate() const { return seconds > 0 ? static_cast<double>(done) / seconds : 0; }
    std::size_t left() const { return all - done - unavailable; }
};

struct RunOptions {
    std::size_t workers = 1;
    int tries = 3;                          ///< of what the machine fails at
    std::chrono::milliseconds pause{1000};  ///< before the second try; twice as long before the third
    std::function<void(const RunState&)> progress = {};
    /// Asked often, from several threads: whether to begin nothing new.
    std::function<bool()> stop = [] { return false; };
};

/// Grades what is pending, and stores each verdict when it is there. If this is interrupted or killed, the next run
/// goes on where this one was.
/// @throws what the ledger throws if it cannot be written
RunState run_pending(Ledger& ledger, const Grader& grader, const RunOptions& options);

}  // namespace headway::classroom
