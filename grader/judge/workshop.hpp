#pragma once

#include "student/student.hpp"

#include "sandbox/jail.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace headway::judge {

/// What a worker is asked in, besides what holds for the whole run.
struct Program {
    std::string worker;
    bool sanitized = false;
    /// glibc fills fresh memory with its complement: 0xfe… is -1.7e38 as a float.
    int fill = 1;
    /// Reports name files and lines, which takes a third of a second each.
    bool symbolized = true;
};

/// Makes the workers of a run, with what holds for all of them: the instructor's limits, and the jail that the CLI has
/// found to work here.
class Workshop {
public:
    struct Run {
        std::string policy;       ///< file with the limits
        std::string jail;         ///< by name; see sandbox::Jail::name
        std::string counts;       ///< folder for what coverage counts; empty: nothing is counted
        bool lone_build = false;  ///< there is no other build, and no diagnosis, to share the time with
    };
    explicit Workshop(const Run& run);

    /// Which must not live longer than this.
    /// @param limits  of a call
    Student student(const Program& program, const CallLimits& limits) const;
    /// What the last worker has counted is kept; the next one's parcel takes its place.
    void keep_parcel();

    const CallLimits& limits() const { return limits_; }
    /// Of diagnosis, which the judge's own thinking counts in too. The hidden tests have been patient; here a call that
    /// hangs is just a fact.
    CallLimits limits_of_diagnosis() const;
    std::uint64_t own_memory() const { return jail_.policy().judge.memory; }

private:
    std::shared_ptr<TimeBudget> budget(double share, TimeBudget::OwnTime own) const;
    const sandbox::Policy::Worker& most() const { return jail_.policy().worker; }
    sandbox::Command command(const Program& program) const;
    sandbox::Command counting_command(const Program& program) const;
    sandbox::JailContents contents(const Program& program) const;
    std::filesystem::path parcel() const { return counts_ / "parcel"; }

    sandbox::Jail jail_;
    std::filesystem::path counts_;  ///< empty: nothing is counted
    std::uint64_t folder_ = 0;      ///< bytes that a worker may keep in files
    int kept_ = 0;
    CallLimits limits_;
};

}  // namespace headway::judge
