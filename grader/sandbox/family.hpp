#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>

#include <sys/types.h>

namespace headway::sandbox {

/// What a family has done with its time. What is left of a while, it slept.
struct TimeUsed {
    std::chrono::nanoseconds computed{0};  ///< all of its processes together
    /// Ready to compute, while the machine's processors did something else: nothing that a program can help. Of several
    /// threads the one that waited longest counts; else many that wake each other would seem to wait for ever.
    std::chrono::nanoseconds waited{0};
    /// It has started processes between the last two looks. Those that live for a moment only are never seen to
    /// compute, and may be what it waits for: that waiting is its own.
    bool starts_others = false;
};

/// A process and all that it has started, seen from outside through the host's /proc.
class Family {
public:
    explicit Family(pid_t ancestor = -1) : members_{ancestor} {}

    /// Looks who has come and gone. What follows speaks of those seen last.
    void look();

    std::chrono::nanoseconds cpu_time() const;
    /// Adds to time_used() what has come since the last look; what has ended stays counted. Where this kernel does not
    /// tell how long a thread waited, all the time since the last look counts as such if one is found ready to compute.
    void look_at_times();
    const TimeUsed& time_used() const { return used_; }
    /// Whether a thread of those seen last is ready to compute: it has a processor, or waits for one. How long it has
    /// waited the kernel tells only when the waiting is over.
    bool is_ready_to_compute() const;
    /// The first of those seen last that has a handler for this signal; -1 if none has.
    pid_t handler_of(int signal) const;
    std::uint64_t resident_bytes() const;
    /// Without code and whatever else is a file: what they have written to, shared memory included.
    std::uint64_t written_bytes() const;
    /// Of those that are still there.
    std::uint64_t peak_resident_bytes() const;
    /// @return whether the kernel let us, for any of them
    bool reset_peak() const;
    /// Whether each of them keeps us from doing so, as no process does that has not asked for it (PR_SET_DUMPABLE).
    bool is_shut() const;

    const std::set<pid_t>& members() const { return members_; }
    /// Pages that children of theirs have touched, of those that have ended and were waited for.
    std::uint64_t faults_of_ended_children() const;

private:
    std::set<pid_t> members_;
    std::map<pid_t, ino_t> strangers_;  ///< who need not be asked for their parents again, with their inodes in /proc
    TimeUsed used_;
    std::map<pid_t, std::chrono::nanoseconds> computed_;  ///< of each process, when it was last looked at
    std::map<pid_t, std::chrono::nanoseconds> waited_;    ///< of each thread
    std::chrono::steady_clock::time_point looked_{};
};

}  // namespace headway::sandbox
