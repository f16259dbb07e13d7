// What a person has decided: attempts that count no more, or whatever the policy says, and marks that are set.
#include "gradebook/class_on_paper.hpp"

namespace headway::gradebook {
namespace {

using Kind = Decision::Kind;
using Decisions = ClassOnPaper;

TEST_F(Decisions, WhatIsRemovedCountsNoMoreUntilItIsRestored) {
    attempt("anna", "01", 8);
    attempt("anna", "01", 5);
    decide(Kind::remove, "anna", 1);
    EXPECT_EQ(mark("anna").points, 5);
    EXPECT_EQ(mark("anna").notes, (std::vector<std::string>{"attempt 1 does not count: a reason (prof)"}));
    decide(Kind::restore, "anna", 1);
    EXPECT_EQ(mark("anna").points, 8);
    decide(Kind::remove, "anna", 1);
    EXPECT_EQ(mark("anna").points, 5);
}

TEST_F(Decisions, ARemovedAttemptThatCouldNotBeReadLeavesNothingOpen) {
    unreadable("anna", "the archive is damaged");
    EXPECT_FALSE(mark("anna").complete);
    decide(Kind::remove, "anna", 1);
    EXPECT_TRUE(mark("anna").complete);
}

TEST_F(Decisions, ARemovedStudentHasNoMarkAndTheirGroupKeepsWhatTheyHandedIn) {
    attempt("anna", "01", 8);
    const std::string group = "[groups]\nteam = ['anna', 'ben']";
    decide(Kind::remove, "anna", std::nullopt);
    ASSERT_EQ(marks(group).size(), 1U);
    EXPECT_EQ(mark("ben", group).points, 8);
    decide(Kind::restore, "anna", std::nullopt);
    EXPECT_EQ(mark("anna").points, 8);
}

TEST_F(Decisions, APinnedAttemptCountsWhateverThePolicySays) {
    attempt("anna", {{"01", 8}, {"02", 8}});
    attempt("anna", {{"01", 5}, {"02", 5}});
    decide(Kind::pin, "anna", 2, "01");
    EXPECT_EQ(mark("anna").points, 13);
    EXPECT_TRUE(mark("anna").exercises.at(0).is_pinned);
    EXPECT_EQ(mark("anna").notes, std::vector<std::string>{"01_single_head: attempt 2 was chosen by hand"});
    decide(Kind::pin, "anna", 1, "02");
    EXPECT_EQ(mark("anna", "attempts = 'last'").points, 13);
    decide(Kind::unpin, "anna", std::nullopt, "01");
    EXPECT_EQ(mark("anna").points, 16);
    decide(Kind::pin, "anna", 2, "01");
    decide(Kind::unpin, "anna", std::nullopt);
    EXPECT_EQ(mark("anna", "attempts = 'last'").points, 10);
}

TEST_F(Decisions, APinnedAttemptThatIsRemovedDoesNotCount) {
    attempt("anna", "01", 8);
    attempt("anna", "01", 5);
    decide(Kind::pin, "anna", 2, "01");
    decide(Kind::remove, "anna", 2);
    EXPECT_EQ(mark("anna").points, 8);
    decide(Kind::restore, "anna", 2);
    EXPECT_EQ(mark("anna").points, 5);
}

TEST_F(Decisions, AMarkThatIsSetIsThatWhateverTheRestSays) {
    attempt("anna", {{"01", 8}, {"02", -1}}, "2026-05-03T10:00:00Z");
    record_.adjustments.push_back({"anna", exercises[0], 2, "prof", "style", "2026"});
    decide(Kind::set, "anna", std::nullopt, "01", 4);
    decide(Kind::set, "anna", std::nullopt, "02", 3);
    const std::string late = "deadline = 2026-05-01T12:00:00Z\n[late]\nfree_days = 5";
    EXPECT_EQ(mark("anna", late).points, 7);
    EXPECT_TRUE(mark("anna", late).complete) << "a person has said what it counts";
    EXPECT_EQ(mark("anna", late).free_days, 0) << "nothing is saved by them";
    decide(Kind::set, "anna", std::nullopt, "01", 5);
    EXPECT_EQ(mark("anna").points, 8);
    decide(Kind::unset, "anna", std::nullopt, "01");
    EXPECT_EQ(mark("anna").exercises.at(0).points, 10);
    decide(Kind::set, "anna", std::nullopt, "", 1);
    EXPECT_EQ(mark("anna").points, 1);
}

TEST_F(Decisions, NothingIsAdjustedBelowZeroAndTheMarkSaysSo) {
    attempt("anna", {{"01", 6}, {"02", 5}});
    record_.adjustments.push_back({"anna", exercises[0], -99, "prof", "copied", "2026"});
    EXPECT_EQ(mark("anna").exercises.at(0).points, 0);
    EXPECT_EQ(mark("anna").points, 5);
    EXPECT_EQ(mark("anna").notes,
              (std::vector<std::string>{"01_single_head: adjusted by -99 points, but never below 0"}));
    record_.adjustments.push_back({"anna", "", -99, "prof", "copied", "2026"});
    EXPECT_EQ(mark("anna").points, 0);
    EXPECT_EQ(mark("anna").notes.size(), 2U);
    decide(Kind::set, "anna", std::nullopt, "", 3);
    EXPECT_EQ(mark("anna").cut, 0) << "what is set is not cut";
    record_.decisions.clear();
    record_.adjustments = {{"anna", exercises[0], -6, "prof", "copied", "2026"}};
    EXPECT_TRUE(mark("anna").notes.empty()) << "0 is not below 0";
}

TEST_F(Decisions, AMemberOfAGroupWithoutAHandInOfTheirOwnIsSeen) {
    attempt("anna", "01", 8);
    EXPECT_EQ(mark("bne", "[groups]\nteam = ['anna', 'bne']").notes,
              (std::vector<std::string>{"in a group, no hand-in of their own"}));
}

TEST_F(Decisions, WhatEachAttemptWouldCountIsListed) {
    attempt("anna", "01", 8, "2026-05-02T10:00:00Z");
    attempt("ben", {{"01", 5}, {"02", 7}});
    decide(Kind::remove, "ben", 2);
    const auto policy =
        MarkingPolicy::parse("deadline = 2026-05-01T12:00:00Z\n[groups]\nteam = ['anna', 'ben']", exercises);
    const Rulings rulings(record_.decisions);
    const auto attempts = attempts_of(record_, policy, rulings, "anna");
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_DOUBLE_EQ(attempts.at(0).exercises.at(0).points, 7.2);
    EXPECT_EQ(attempts.at(0).removal, nullptr);
    EXPECT_NE(attempts.at(1).removal, nullptr);
    EXPECT_EQ(attempts.at(1).exercises.at(1).standing, Standing::untimed);
}

}  // namespace
}  // namespace headway::gradebook
