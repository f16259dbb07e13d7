// What a policy makes of verdicts.
#include "gradebook/marks.hpp"

#include <gtest/gtest.h>

namespace headway::gradebook {
namespace {

const std::vector<std::string> exercises = {"01_single_head", "02_head_splitting"};

/// A class whose verdicts are written down: attempt("anna", "01", 5, "2026-05-02T...") earned 5 of 10.
class Marks : public testing::Test {
protected:
    void attempt(const std::string& student, const std::string& exercise, int points, const char* submitted = nullptr) {
        const std::string name = exercise == "01" ? exercises[0] : exercises[1];
        const auto id = static_cast<std::int64_t>(record_.attempts.size() + 1);
        const std::string source = "source " + std::to_string(id);
        record_.attempts.push_back({id, student, student, {}, "", "", {{name, source}}});
        if (submitted != nullptr) record_.attempts.back().submitted = submitted;
        if (points >= 0) record_.scores[source] = {verdict::State::failed, points, 10};
    }

    Mark mark(const std::string& student, const std::string& policy = "") const {
        for (const Mark& mark : derive_marks(record_, MarkingPolicy::parse(policy, exercises)))
            if (mark.student == student) return mark;
        throw std::runtime_error("no such student");
    }

    ClassRecord record_;
};

TEST_F(Marks, TheBestAttemptCountsOrTheLast) {
    attempt("anna", "01", 8);
    attempt("anna", "01", 5);
    EXPECT_EQ(mark("anna").points, 8);
    EXPECT_EQ(mark("anna", "attempts = 'last'").points, 5);
    EXPECT_EQ(mark("anna").max_points, 20);
    EXPECT_EQ(mark("anna").exercises.at(1).standing, Standing::missing);
}

TEST_F(Marks, PointsAreScaledAndExtraCreditIsOnTop) {
    attempt("anna", "01", 5);
    attempt("anna", "02", 10);
    const Mark mark = this->mark("anna", "[exercises.01]\npoints = 30\n[exercises.02]\nextra_credit = true");
    EXPECT_EQ(mark.points, 25);
    EXPECT_EQ(mark.max_points, 30);
}

TEST_F(Marks, NamesInAnyScriptStandInQuotes) {
    attempt("jürgen", "01", 10, "2026-05-03T10:00:00Z");
    const std::string deadline = "# für später\ndeadline = 2026-05-01T12:00:00Z\n[extensions]\n";
    EXPECT_EQ(mark("jürgen", deadline + "\"jürgen\" = 2").points, 10);
    EXPECT_EQ(mark("jürgen", deadline + "'jürgen' = 2  # Jürgen's").points, 10);
    try {
        mark("jürgen", deadline + "jürgen = 2");
        FAIL();
    } catch (const MarkingPolicyError& error) {
        EXPECT_STREQ(error.what(),
                     "class.toml, line 4: what has letters other than A to Z stands in quotes, on one line");
    }
}

TEST_F(Marks, AStrayQuoteBeforeALetterIsAnError) {
    for (const char* text :
         {"deadline = 202'\xC9\x93 5'", "attempts = 1\"\xC3\xA9\"", "a'\xC3\xA9' = 1", "x = \"\\u005fx_zz\""})
        EXPECT_THROW(MarkingPolicy::parse(text, {"01_single_head"}), MarkingPolicyError) << text;
    EXPECT_THROW(MarkingPolicy::parse("deadline = '\xFF'", {"01_single_head"}), MarkingPolicyError);
}

TEST_F(Marks, EachDayLateCostsAndGraceExtensionsAndFreeDaysDoNot) {
    attempt("anna", "01", 10, "2026-05-03T10:00:00Z");
    const std::string deadline = "deadline = 2026-05-01T12:00:00Z\n";
    EXPECT_EQ(mark("anna", deadline).points, 8);
    EXPECT_EQ(mark("anna", deadline + "[late]\npercent_a_day = 25").points, 5);
    EXPECT_EQ(mark("anna", deadline + "[late]\nfree_days = 1").points, 9);
    EXPECT_EQ(mark("anna", deadline + "[late]\nlast_day = 1").points, 0);
    EXPECT_EQ(mark("anna", deadline + "[extensions]\nanna = 1").points, 9);
    EXPECT_EQ(mark("anna", deadline + "[extensions.anna]\n01 = 2").points, 10);
    EXPECT_EQ(mark("anna", "deadline = '2026-05-03T11:50:00+02:00'\n[late]\ngrace_minutes = 15").points, 10);
}

TEST_F(Marks, FreeDaysAreSpentOnce) {
    attempt("anna", "01", 10, "2026-05-02T11:00:00Z");
    attempt("anna", "02", 10, "2026-05-02T11:00:00Z");
    EXPECT_EQ(mark("anna", "deadline = 2026-05-01T12:00:00Z\n[late]\nfree_days = 1").points, 19);
}

TEST_F(Marks, AnUnknownTimeIsNotLate) {
    attempt("anna", "01", 10);
    EXPECT_EQ(mark("anna", "deadline = 2000-01-01T00:00:00Z").points, 10);
}

TEST_F(Marks, TheMachinesFailureIsNoZero) {
    attempt("anna", "01", 4);
    attempt("anna", "01", -1);
    const Mark mark = this->mark("anna");
    EXPECT_FALSE(mark.complete);
    EXPECT_EQ(mark.exercises.at(0).standing, Standing::pending);
}

TEST_F(Marks, WhatCannotBeReadIsNoZeroUntilAPersonDecides) {
    attempt("anna", "01", 4);
    record_.attempts.push_back({2, "anna", "anna.zip", {}, "", "the archive is damaged", {}});
    EXPECT_FALSE(mark("anna").complete);
    EXPECT_FALSE(mark("anna").exercises.at(0).open);
    EXPECT_EQ(mark("anna").exercises.at(0).points, 4);
    EXPECT_EQ(mark("anna").exercises.at(1).standing, Standing::malformed);
    EXPECT_TRUE(mark("anna").exercises.at(1).open);
    EXPECT_EQ(mark("anna").notes, (std::vector<std::string>{"could not be read: the archive is damaged"}));
    record_.adjustments.push_back({"anna", exercises[1], 0, "prof", "an empty archive, twice", "2026"});
    EXPECT_TRUE(mark("anna").complete);
    EXPECT_EQ(mark("anna").points, 4);
}

TEST_F(Marks, ANewHandInSettlesOneThatCouldNotBeRead) {
    record_.attempts.push_back({1, "anna", "anna.zip", {}, "", "the archive is damaged", {}});
    attempt("anna", "01", 4);
    EXPECT_TRUE(mark("anna").complete);
    EXPECT_EQ(mark("anna").exercises.at(1).standing, Standing::missing);
    EXPECT_TRUE(mark("anna").notes.empty());
}

TEST_F(Marks, WhatOneOfAGroupHandsInCountsForAll) {
    attempt("anna", "01", 7);
    EXPECT_EQ(mark("ben", "[groups]\nteam = ['anna', 'ben']").points, 7);
}

TEST_F(Marks, WhoIsEnrolledHasAMarkAlsoWithoutAHandIn) {
    attempt("anna", "01", 7);
    record_.enrolled = {"anna", "ben"};
    EXPECT_EQ(mark("anna").points, 7);
    EXPECT_EQ(mark("ben").points, 0);
    EXPECT_TRUE(mark("ben").complete);
    EXPECT_EQ(mark("ben").exercises.at(0).standing, Standing::missing);
}

TEST_F(Marks, AdjustmentsComeOnTopAndStayVisible) {
    attempt("anna", "01", 7);
    record_.adjustments.push_back({"anna", exercises[0], 1.5, "prof", "typo in the task", "2026"});
    record_.adjustments.push_back({"anna", "", -1, "prof", "see e-mail", "2026"});
    const Mark mark = this->mark("anna");
    EXPECT_EQ(mark.points, 7.5);
    EXPECT_EQ(mark.exercises.at(0).adjusted, 1.5);
    EXPECT_EQ(mark.exercises.at(0).score.points, 7);
    EXPECT_EQ(mark.adjustments.size(), 2U);
}

TEST(ClassToml, WhatItCannotMeanIsRefusedInWords) {
    for (const char* text :
         {"atempts = 'best'", "attempts = 'first'", "[exercises.9]\npoints = 1", "deadline = 5",
          "[late]\npercent_a_day = 200", "[late]\nfree_days = 0.5", "[groups]\na = 'anna'",
          "[groups]\na = ['x']\nb = ['x']", "[extensions]\nanna = -1", "= 3", "[exercises.01]\nextra_credit = 'yes'"})
        EXPECT_THROW(MarkingPolicy::parse(text, exercises), MarkingPolicyError) << text;
}

}  // namespace
}  // namespace headway::gradebook
