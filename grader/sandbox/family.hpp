#pragma once

#include <chrono>
#include <cstdint>
#include <set>

#include <sys/types.h>

namespace headway::sandbox {

/// A process and all that it has started, seen from outside through the host's /proc.
class Family {
public:
    explicit Family(pid_t ancestor = -1) : members_{ancestor} {}

    /// Looks who has come and gone. What follows speaks of those seen last.
    void look();

    std::chrono::nanoseconds cpu_time() const;
    std::uint64_t resident_bytes() const;
    /// Of those that are still there.
    std::uint64_t peak_resident_bytes() const;
    /// @return whether the kernel let us, for any of them
    bool reset_peak() const;

    const std::set<pid_t>& members() const { return members_; }
    /// Pages that children of theirs have touched, of those that have ended and were waited for.
    std::uint64_t faults_of_ended_children() const;

private:
    std::set<pid_t> members_;
    std::set<pid_t> strangers_;
};

}  // namespace headway::sandbox
