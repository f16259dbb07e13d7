#pragma once

#include "attentions/roster.hpp"
#include "line_counts.hpp"

#include "judge/student.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headway::judge {

/// What the submitted tests said of one attention.
struct Encounter {
    const roster::Entry* attention = nullptr;
    std::set<std::string> failed;  ///< the tests that failed: "Suite.Name"
    std::string first_words;       ///< what the first of them said
    std::optional<NoAnswer> lost;  ///< why the tests did not come to their end
};

/// The submitted tests against every attention, each time in two new processes: theirs, and that of the attention. The
/// judge hands questions and answers on; so neither of the two knows of the other.
class Trial {
public:
    /// In an order that the seed decides.
    Trial(Student& student, std::uint64_t seed);

    /// The tests that there are; empty if none is written.
    const std::set<std::string>& tests() const { return tests_; }
    const std::vector<Encounter>& runs() const { return runs_; }
    const Encounter& run_of(const std::string& id) const;

    using Attentions = std::vector<const roster::Entry*>;
    /// Right ones that some test fails, or in which the tests do not come to their end.
    const Attentions& false_alarms() const { return false_alarms_; }
    /// Tests that fail some right one.
    const std::set<std::string>& unfair() const { return unfair_; }
    /// Whether some test fails it that passes with every right one. A test that fails what is right says nothing of
    /// what is wrong: who compares for equality fails half of both, by the last digit.
    bool catches(const roster::Entry& wrong) const;

    /// By the tests' outcomes: they fail nothing, or everything.
    std::set<std::string> passing_everything() const;
    std::set<std::string> failing_everything() const;

    /// Of the reference, under these tests; nothing where it is not counted.
    const std::optional<LineCounts>& counts() const { return counts_; }
    /// How often they asked, all in all.
    int questions() const { return questions_; }
    /// What the tests printed in one of the runs: where they did not come to their end, if there is such a one.
    const Printed& printed() const { return printed_; }

private:
    /// Questions and answers, up to the report. @throws NoAnswer
    void converse(WorkerLink& tests, WorkerLink& attention, Encounter& met);
    Encounter conduct(Student& student, const roster::Entry& entry);

    std::set<std::string> tests_;
    std::vector<Encounter> runs_;
    Attentions false_alarms_;
    std::set<std::string> unfair_;
    std::optional<LineCounts> counts_;
    Printed printed_;
    std::chrono::milliseconds patience_{3000};  ///< with all tests together, and one attention
    std::chrono::milliseconds longest_{0};      ///< that tests took which came to their end
    int ended_ = 0, lost_ = 0;                  ///< how often they did, and did not
    int questions_ = 0;
};

}  // namespace headway::judge
