#pragma once

#include "gradebook/gradebook.hpp"

#include <string>
#include <vector>

namespace headway::classroom {

/// What is to be graded, and where its verdicts go: a class's gradebook, or a shard of it on another machine.
class Ledger {
public:
    virtual ~Ledger() = default;

    /// How much has no verdict yet.
    virtual std::size_t count_pending() = 0;
    /// Some of it, from what comes after `last` on, so that nobody needs to hold all of it; nothing if that was all.
    virtual std::vector<gradebook::Job> pending_after(const gradebook::Job& last) = 0;
    /// @throws std::runtime_error if it is not there as it was handed in
    virtual build::Submission source(const gradebook::Job& job) = 0;
    /// Called before what runs strangers' code, so that it is known what was in flight if nothing is heard again.
    virtual void begin(const gradebook::Job& job) = 0;
    /// That of a job which has a verdict is dropped.
    virtual void store(const gradebook::Job& job, const gradebook::Graded& graded) = 0;
    /// A failure of the machine: no verdict.
    virtual void store_outage(const gradebook::Job& job, const std::string& problem) = 0;
};

/// A whole class, on one machine.
class GradebookLedger : public Ledger {
public:
    GradebookLedger(gradebook::Gradebook& gradebook, const gradebook::Edition& edition)
        : gradebook_(gradebook), edition_(edition) {}

    std::size_t count_pending() override { return gradebook_.count_pending(edition_); }
    std::vector<gradebook::Job> pending_after(const gradebook::Job& last) override {
        return gradebook_.pending(edition_, last, at_once);
    }
    build::Submission source(const gradebook::Job& job) override { return gradebook_.source(job); }
    void begin(const gradebook::Job&) override {}  // if this is killed, somebody starts it again by hand
    void store(const gradebook::Job& job, const gradebook::Graded& graded) override { gradebook_.store(job, graded); }
    void store_outage(const gradebook::Job& job, const std::string& problem) override {
        gradebook_.store_outage(job, problem);
    }

private:
    static constexpr std::size_t at_once = 1000;

    gradebook::Gradebook& gradebook_;
    const gradebook::Edition& edition_;
};

}  // namespace headway::classroom
