// What comes late, what nobody knows to be late, and what free days excuse.
#include "gradebook/class_on_paper.hpp"

namespace headway::gradebook {
namespace {

using LateMarks = ClassOnPaper;

const std::string deadline = "deadline = 2026-05-01T12:00:00Z\n";
constexpr const char* in_time = "2026-05-01T12:00:00Z";
constexpr const char* two_days_late = "2026-05-03T10:00:00Z";

TEST_F(LateMarks, EachDayLateCostsAndGraceExtensionsAndFreeDaysDoNot) {
    attempt("anna", "01", 10, two_days_late);
    EXPECT_EQ(mark("anna", deadline).points, 8);
    EXPECT_EQ(mark("anna", deadline + "[late]\npercent_a_day = 25").points, 5);
    EXPECT_EQ(mark("anna", deadline + "[late]\nfree_days = 1").points, 9);
    EXPECT_EQ(mark("anna", deadline + "[late]\nlast_day = 1").points, 0);
    EXPECT_EQ(mark("anna", deadline + "[extensions]\nanna = 1").points, 9);
    EXPECT_EQ(mark("anna", deadline + "[extensions.anna]\n01 = 2").points, 10);
}

TEST_F(LateMarks, GraceHoldsAfterTheDeadlineAndAfterEachDay) {
    for (const auto& [submitted, days] : {std::pair{"2026-05-01T12:15:00Z", 0},
                                          {"2026-05-01T12:15:01Z", 1},
                                          {"2026-05-02T12:15:00Z", 1},
                                          {"2026-05-02T12:15:01Z", 2}}) {
        record_ = {};
        attempt("anna", "01", 10, submitted);
        EXPECT_EQ(mark("anna", deadline + "[late]\ngrace_minutes = 15").exercises.at(0).days_late, days) << submitted;
    }
}

TEST_F(LateMarks, AnUnknownTimeIsAnOpenMarkWhereThereIsADeadline) {
    attempt("anna", "01", 10);
    const Mark open = mark("anna", deadline);
    EXPECT_FALSE(open.complete);
    EXPECT_TRUE(open.exercises.at(0).open);
    EXPECT_EQ(open.exercises.at(0).standing, Standing::untimed);
    EXPECT_EQ(open.exercises.at(0).points, 0);
    EXPECT_NE(open.notes.at(0).find("it is not known when it was handed in"), std::string::npos) << open.notes.at(0);
    EXPECT_TRUE(mark("anna").complete) << "without a deadline";
    EXPECT_TRUE(mark("anna", "[exercises.02]\n" + deadline).complete) << "with one for another exercise";
    record_.attempts.back().submitted = two_days_late;
    EXPECT_EQ(mark("anna", deadline).points, 8);
}

TEST_F(LateMarks, ThePolicySaysWhatAnUnknownTimeIs) {
    attempt("anna", "01", 10);
    record_.attempts.back().recorded = two_days_late;
    EXPECT_FALSE(mark("anna", "unknown_time = 'open'\n" + deadline).complete);
    EXPECT_EQ(mark("anna", "unknown_time = 'on time'\n" + deadline).points, 10);
    EXPECT_EQ(mark("anna", "unknown_time = 'when graded'\n" + deadline).points, 8);
}

TEST_F(LateMarks, WhatCanvasCallsLateIsOpenUntilItsTimeIsSaid) {
    attempt("anna", "01", 10);
    record_.attempts.back().note = "late, says Canvas";
    EXPECT_FALSE(mark("anna", "unknown_time = 'open'\n" + deadline).complete);
    EXPECT_FALSE(mark("anna", "unknown_time = 'on time'\n" + deadline).complete) << "late, and nobody knows how much";
    EXPECT_TRUE(mark("anna", "unknown_time = 'when graded'\n" + deadline).complete) << "no later than that";
    record_.attempts.back().submitted = two_days_late;
    EXPECT_EQ(mark("anna", "unknown_time = 'on time'\n" + deadline).points, 8);
    record_.attempts.back().submitted.reset();
    record_.attempts.back().recorded = in_time;
    EXPECT_EQ(mark("anna", deadline).points, 10) << "Canvas has another deadline than class.toml";
}

TEST_F(LateMarks, WhatHoldsOfTwoAttemptsIsNotedOnce) {
    for (int i = 0; i < 2; ++i) {
        attempt("anna", "01", 10, two_days_late);
        record_.attempts.back().note = "late, says Canvas";
    }
    EXPECT_EQ(mark("anna", deadline).notes, std::vector<std::string>{"late, says Canvas"});
}

TEST_F(LateMarks, ATimeThatWasSaidOfOneAttemptIsNotedWithItsReason) {
    attempt("anna", "01", 10, two_days_late);
    EXPECT_TRUE(mark("anna", deadline).notes.empty());
    record_.attempts.back().why_this_time = "by e-mail (prof)";
    EXPECT_EQ(mark("anna", deadline).notes,
              std::vector<std::string>{"attempt 1 counts as handed in at 2026-05-03 10:00 UTC: by e-mail (prof)"});
}

TEST_F(LateMarks, WhatWasRecordedInTimeIsInTime) {
    attempt("anna", "01", 10);
    record_.attempts.back().recorded = in_time;
    EXPECT_TRUE(mark("anna", deadline).complete);
    EXPECT_EQ(mark("anna", deadline).points, 10);
}

TEST_F(LateMarks, AnUnknownTimeLeavesOpenOnlyWhatItCouldChange) {
    attempt("anna", "01", 7, in_time);
    attempt("anna", "01", 7);
    attempt("anna", "02", 0);
    EXPECT_TRUE(mark("anna", deadline).complete) << "as good as what is known, and nothing";
    EXPECT_EQ(mark("anna", deadline).points, 7);
    EXPECT_FALSE(mark("anna", "attempts = 'last'\n" + deadline).complete);
    attempt("anna", "01", 8);
    EXPECT_FALSE(mark("anna", deadline).complete);
}

TEST_F(LateMarks, AnUnknownTimeThatCouldSaveAFreeDayIsOpen) {
    attempt("anna", "01", 7, two_days_late);
    attempt("anna", "01", 7);
    EXPECT_TRUE(mark("anna", deadline + "[late]\nlast_day = 1\nfree_days = 2").exercises.at(0).open);
    EXPECT_TRUE(mark("anna", deadline + "[late]\nfree_days = 2").exercises.at(0).open);
}

TEST_F(LateMarks, OneFreeDayExcusesADayOfAllThatWasHandedInTogether) {
    attempt("anna", {{"01", 10}, {"02", 10}}, two_days_late);
    const Mark mark = this->mark("anna", deadline + "[late]\nfree_days = 2");
    EXPECT_EQ(mark.points, 20);
    EXPECT_EQ(mark.free_days, 2);
    EXPECT_EQ(mark.exercises.at(1).free_days, 2);
    EXPECT_EQ(this->mark("anna", deadline + "[late]\nfree_days = 1").points, 18);
}

TEST_F(LateMarks, WhatWasHandedInApartSpendsFreeDaysApart) {
    attempt("anna", "01", 10, "2026-05-02T11:00:00Z");
    attempt("anna", "02", 10, "2026-05-02T11:00:00Z");
    EXPECT_EQ(mark("anna", deadline + "[late]\nfree_days = 1").points, 19);
    EXPECT_EQ(mark("anna", deadline + "[late]\nfree_days = 2").free_days, 2);
}

TEST_F(LateMarks, AnEarlierDeadlineOfOneExerciseSpendsOnlyTheDaysThatAreMore) {
    attempt("anna", {{"01", 10}, {"02", 10}}, two_days_late);
    const std::string policy = "deadline = 2026-05-02T12:00:00Z\n[exercises.02]\n" + deadline + "[late]\nfree_days = ";
    EXPECT_EQ(mark("anna", policy + "2").points, 20);
    EXPECT_EQ(mark("anna", policy + "2").free_days, 2);
    EXPECT_EQ(mark("anna", policy + "1").points, 19);
    const std::string other = deadline + "[exercises.02]\ndeadline = 2026-05-02T12:00:00Z\n[late]\nfree_days = 2";
    EXPECT_EQ(mark("anna", other).points, 20) << "more are excused than 02 has";
}

TEST_F(LateMarks, FreeDaysAreSpentOnlyWhereTheySave) {
    attempt("anna", "01", 10, two_days_late);
    EXPECT_EQ(mark("anna", deadline + "[late]\nfree_days = 1\npercent_a_day = 100").free_days, 0);
    EXPECT_EQ(mark("anna", deadline + "[late]\nfree_days = 5\nlast_day = 1").free_days, 0);
    attempt("anna", "01", 10, in_time);
    EXPECT_EQ(mark("anna", deadline + "[late]\nfree_days = 2").free_days, 0) << "another attempt is as good without";
}

/// 2 of 10 in time and all of 10 five days late, one of them free, are 1.4 of 7 both; as doubles the second is more.
TEST_F(LateMarks, AttemptsThatAreEqualByHandAreEqual) {
    attempt("anna", "01", 2, in_time);
    attempt("anna", "01", 10, "2026-05-06T10:00:00Z");
    attempt("anna", "02", 10, "2026-05-02T10:00:00Z");
    const Mark mark =
        this->mark("anna", deadline + "[late]\npercent_a_day = 20\nfree_days = 1\n[exercises.01]\npoints = 7");
    EXPECT_EQ(mark.exercises.at(0).attempt, 1);
    EXPECT_EQ(mark.exercises.at(1).free_days, 1) << "the free day is left for 02";
    EXPECT_NEAR(mark.points, 11.4, 1e-9);
}

}  // namespace
}  // namespace headway::gradebook
