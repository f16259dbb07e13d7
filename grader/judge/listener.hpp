#pragma once

#include "student/hidden_test.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headway::judge {

/// Turns what GoogleTest and the suites report into the verdict's tests.
class Listener : public testing::EmptyTestEventListener {
public:
    /// The name of the test that asks what the visible tests ask. It comes last, and is no property.
    static constexpr const char* visible_tests = "VisibleTests";

    Listener(const Suite& suite, Session& session) : suite_(suite), session_(session), student_(session.student) {}

    void OnTestStart(const testing::TestInfo& info) override;
    void OnTestEnd(const testing::TestInfo& info) override;

    /// Whether all that ran so far has.
    bool all_passed() const;

    /// The results, with those on credit settled, and without points for what a function that computes nothing does
    /// too.
    std::vector<verdict::Test> settled() const;

    /// By the name of a test.
    std::vector<std::pair<std::string, Comparisons>> comparisons() const;

    /// Of all tests.
    std::vector<Sweep> sweeps() const;

private:
    struct Result {
        verdict::Test test;
        TestRecord record;
    };

    /// The result of a test that has just ended, and its record.
    Result result(const testing::TestInfo& info);
    /// A visible expectation that does not hold costs the first property that is about the same function.
    void settle_visible(std::vector<verdict::Test>& tests) const;
    /// What a test waits for that failed; empty if nothing.
    std::vector<std::string> waits_for(const Result& result) const;
    void settle_credits(verdict::Test& test, const TestRecord& record) const;
    /// Why a test that passed is not counted, if it is not.
    std::optional<verdict::Failure> unearned(const TestRecord& record) const;
    /// Those of these functions that some test finds wrong by themselves, in the order of tests.
    std::vector<std::string> blamed(const std::vector<std::string>& functions) const;
    /// Whether some test saw a right answer of one of these functions.
    bool any_shown(const std::set<std::string>& functions) const;
    /// Those that had to throw in this test and answered nothing else in it, and throw in another where they should
    /// answer: that they refuse shows nothing.
    std::vector<std::string> refusing_by_chance(const TestRecord& record) const;
    /// Whether some test got anything but an exception from this function.
    bool ever_answered(const std::string& function) const;

    const Suite& suite_;
    const Session& session_;
    Student& student_;
    std::vector<Result> results_;
    std::optional<Result> visible_;  ///< what asks the visible tests, once it ran
};

}  // namespace headway::judge
