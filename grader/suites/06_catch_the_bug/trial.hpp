#pragma once

#include "suites/06_catch_the_bug/conversation.hpp"
#include "suites/06_catch_the_bug/line_counts.hpp"

#include "student/student.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headway::judge {

/// The submitted tests against every attention, each time in two new processes: theirs, and that of the attention. The
/// judge hands questions and answers on; so neither of the two knows of the other.
class Trial {
public:
    /// In an order that the seed decides, as it does the habits of each attention.
    Trial(Student& student, std::uint64_t seed);

    /// The tests that there are; empty if none is written.
    const std::set<std::string>& tests() const { return tests_; }
    /// Whether any of them passed or failed: tests that are all skipped say nothing.
    bool says_anything() const;
    const std::vector<Encounter>& runs() const { return runs_; }
    const Encounter& run_of(const std::string& id) const;

    using Attentions = std::vector<const roster::Entry*>;
    /// Right ones that some test fails, or in which the tests do not come to their end.
    const Attentions& false_alarms() const { return false_alarms_; }
    /// Tests that pass with every right one, as far as they came to their end. Only these say something of a wrong
    /// one: a test that compares for equality fails half of both, by the last digit.
    const std::set<std::string>& fair() const { return fair_; }
    /// Why nothing that the tests say counts: they are not the same in each run, or do not say the same of the same
    /// attention.
    const std::optional<std::string>& not_reproducible() const { return not_reproducible_; }
    /// Whether some fair test fails it that fails some nonsense, too: what passes zeros, noise, NaN and other shapes
    /// alike knows one wrong answer by sight, and no right one.
    bool catches(const roster::Entry& wrong) const;
    /// Whether fair tests fail it, all of which pass every nonsense.
    bool only_knows_by_sight(const roster::Entry& wrong) const;

    /// By the tests' outcomes: they fail nothing, or everything.
    std::set<std::string> passing_everything() const;
    std::set<std::string> failing_everything() const;
    std::set<std::string> failing_every_right_one() const;
    /// Tests that ask a question twice or more, the same number by number and stride by stride, and how many of their
    /// questions differ.
    std::map<std::string, std::size_t> repeating_questions() const;

    /// Of the reference, under these tests; nothing where it is not counted.
    const std::optional<LineCounts>& counts() const { return counts_; }
    /// Whether they came to their end, with some attention.
    bool has_ended() const { return ended_ > 0; }
    /// How often they asked, all in all.
    int questions() const { return questions_; }
    /// What the tests printed in one of the runs: where they did not come to their end, if there is such a one, else
    /// with an attention whose every answer is wrong. A right one would give away what to expect.
    const Printed& printed() const { return printed_; }

private:
    Encounter conduct(Student& student, const roster::Entry& entry);
    Encounter conduct_once(Student& student, const roster::Entry& entry);
    /// Some of the attentions, right and wrong, a second time.
    void repeat(Student& student, const Attentions& order);
    /// The tests against answers of the right shapes, or of others, that nobody computed.
    void try_nonsense(Student& student);
    void compare_names();
    void look_for_fair_ones();

    std::set<std::string> tests_;
    std::map<std::string, std::set<std::size_t>> digests_;  ///< of each test's questions to the reference
    std::vector<Encounter> runs_;
    Attentions false_alarms_;
    std::set<std::string> fair_;
    std::set<std::string> fail_nonsense_;
    std::optional<std::string> not_reproducible_;
    std::optional<LineCounts> counts_;
    Printed printed_;
    /// With all tests together, and one attention: twice what the header promises, since machines differ.
    std::chrono::milliseconds patience_{2000};
    std::chrono::milliseconds longest_{0};  ///< that tests took which came to their end
    int ended_ = 0, lost_ = 0;              ///< how often they did, and did not
    std::uint64_t seed_;
    int questions_ = 0;
};

}  // namespace headway::judge
