// What a policy makes of verdicts.
#include "gradebook/marks.hpp"

#include "gradebook/class_on_paper.hpp"

#include <gtest/gtest.h>

namespace headway::gradebook {
namespace {

using Marks = ClassOnPaper;

TEST_F(Marks, TheBestAttemptCountsOrTheLast) {
    attempt("anna", "01", 8);
    attempt("anna", "01", 5);
    EXPECT_EQ(mark("anna").points, 8);
    EXPECT_EQ(mark("anna", "attempts = 'last'").points, 5);
    EXPECT_EQ(mark("anna").max_points, 20);
    EXPECT_EQ(mark("anna").exercises.at(1).standing, Standing::missing);
}

TEST_F(Marks, TheLastIsWhatWasHandedInLast) {
    const auto last = [&] { return mark("anna", "attempts = 'last'").points; };
    attempt("anna", "01", 9, "2026-05-02T12:00:00Z");
    attempt("anna", "01", 4, "2026-05-01T12:00:00Z");
    EXPECT_EQ(last(), 9) << "an old export was graded after it";
    attempt("anna", "01", 2);
    EXPECT_EQ(last(), 2) << "nobody knows when, so after what was recorded before it";
    attempt("anna", "01", 7, "2026-05-01T13:00:00Z");
    EXPECT_EQ(last(), 2);
    attempt("anna", "01", 6, "2026-05-03T12:00:00Z");
    EXPECT_EQ(last(), 6);
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

TEST_F(Marks, TheMachinesFailureIsNoZero) {
    attempt("anna", "01", 4);
    attempt("anna", "01", -1);
    const Mark mark = this->mark("anna");
    EXPECT_FALSE(mark.complete);
    EXPECT_EQ(mark.exercises.at(0).standing, Standing::pending);
}

TEST_F(Marks, WhatCannotBeReadIsNoZeroUntilAPersonDecides) {
    attempt("anna", "01", 4);
    unreadable("anna", "the archive is damaged");
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

TEST_F(Marks, WhatCountsNothingLeavesNothingOpen) {
    unreadable("anna", "the archive is damaged");
    record_.adjustments.push_back({"anna", exercises[0], 3, "prof", "shown in the lab", "2026"});
    EXPECT_FALSE(mark("anna").complete);
    EXPECT_TRUE(mark("anna", "[exercises.02]\npoints = 0").complete);
    EXPECT_TRUE(mark("anna", "[exercises.02]\npoints = 0").notes.empty());
    attempt("ben", {{"01", 5}, {"02", -1}});
    EXPECT_TRUE(mark("ben", "[exercises.02]\npoints = 0").complete);
}

TEST_F(Marks, ANewHandInSettlesOneThatCouldNotBeRead) {
    unreadable("anna", "the archive is damaged");
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

TEST_F(Marks, TheLowestAreDroppedAsTheyAreInTheEnd) {
    attempt("anna", "01", 8);
    attempt("anna", "02", 6);
    for (const char* policy : {"drop_lowest = 1", "best = 1"}) {
        EXPECT_EQ(mark("anna", policy).points, 8);
        EXPECT_EQ(mark("anna", policy).max_points, 10);
        EXPECT_TRUE(mark("anna", policy).exercises.at(1).is_dropped);
        EXPECT_EQ(mark("anna", policy).exercises.at(1).points, 6) << "and its own points stay";
    }
    EXPECT_EQ(mark("anna", "best = 2").points, 14);
    EXPECT_EQ(mark("anna", "drop_lowest = 0").max_points, 20);
    record_.adjustments.push_back({"anna", exercises[1], 3, "prof", "a reason", "2026"});
    EXPECT_EQ(mark("anna", "best = 1").points, 9);
    decide(Decision::Kind::set, "anna", {}, "01", 10);
    EXPECT_EQ(mark("anna", "best = 1").points, 10);
    EXPECT_EQ(mark("anna", "best = 1").notes.back(), "not in the total, as the lowest: 02_head_splitting");
}

TEST_F(Marks, OfEqualsTheLaterIsDropped) {
    attempt("anna", {{"01", 5}, {"02", 5}});
    EXPECT_FALSE(mark("anna", "best = 1").exercises.at(0).is_dropped);
    EXPECT_TRUE(mark("anna", "best = 1").exercises.at(1).is_dropped);
}

TEST_F(Marks, ExtraCreditIsNeverDropped) {
    attempt("anna", {{"01", 2}, {"02", 9}});
    const Mark mark = this->mark("anna", "best = 1\n[exercises.01]\nextra_credit = true\npoints = 5");
    EXPECT_EQ(mark.points, 10);
    EXPECT_EQ(mark.max_points, 10);
}

TEST_F(Marks, WhatIsOpenLeavesOpenWhichAreTheLowest) {
    attempt("anna", {{"01", 8}, {"02", -1}});
    const Mark mark = this->mark("anna", "best = 1");
    EXPECT_FALSE(mark.complete);
    EXPECT_FALSE(mark.exercises.at(0).is_dropped);
    EXPECT_EQ(mark.max_points, 10);
}

TEST_F(Marks, TheTotalIsRoundedAfterAdjustmentsAndAHalfGoesUp) {
    attempt("anna", {{"01", 5}, {"02", 4}});
    const auto total = [&](const std::string& policy) { return mark("anna", policy + "[exercises.02]\npoints = 8\n"); };
    EXPECT_NEAR(total("").points, 8.2, 1e-9);
    EXPECT_EQ(total("round = 1\n").points, 8);
    EXPECT_EQ(total("round = 0.5\n").points, 8);
    EXPECT_EQ(total("round = 0.5\n").notes, std::vector<std::string>{"the total is rounded from 8.2"});
    record_.adjustments.push_back({"anna", "", 0.05, "prof", "a reason", "2026"});
    EXPECT_EQ(total("round = 0.5\n").points, 8.5) << "8.25, as a double or not";
    EXPECT_NEAR(total("round = 0.1\n").points, 8.3, 1e-9);
    EXPECT_TRUE(total("round = 0.05\n").notes.empty()) << "is a multiple already";
    decide(Decision::Kind::set, "anna", {}, "", 7.3);
    EXPECT_EQ(total("round = 1\n").points, 7.3) << "whatever the rest says";
}

TEST(ClassToml, HowManyCountIsRefusedByNameWhereItCannotBe) {
    for (const auto& [text, why] :
         {std::pair<std::string, std::string>{"drop_lowest = 2", "drop_lowest is a number from 0 to 1"},
          {"drop_lowest = -1", "drop_lowest is a number from 0 to 1"},
          {"drop_lowest = 0.5", "drop_lowest is a whole number"},
          {"best = 0", "best is a number from 1 to 2"},
          {"best = 3", "best is a number from 1 to 2"},
          {"best = 'all'", "best is a number from 1 to 2"},
          {"best = 1\ndrop_lowest = 1", "write one of them"},
          {"best = 1\n[exercises.01]\npoints = 20", "01_single_head counts 20 points, but 02_head_splitting 10"},
          {"best = 1\n[exercises]\n01 = { points = 0 }\n02 = { points = 0 }", "no exercise counts"},
          {"drop_lowest = 1\n[exercises.02]\npoints = 0", "drop_lowest is a number from 0 to 0"},
          {"round = 0", "round is a number from 0.01 to 1000"},
          {"round = 'up'", "round is a number from 0.01 to 1000"},
          {"round = true", "round is a number from 0.01 to 1000"},
          {"[late]\nbest = 1", "late.best is unknown"}})
        try {
            MarkingPolicy::parse(text, exercises);
            ADD_FAILURE() << text;
        } catch (const MarkingPolicyError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << text << ": " << error.what();
        }
    EXPECT_NO_THROW(MarkingPolicy::parse("best = 2\n[exercises.01]\npoints = 20", exercises)) << "all of them count";
}

TEST(ClassToml, WhatItCannotMeanIsRefusedInWords) {
    for (const char* text : {"atempts = 'best'",
                             "attempts = 'first'",
                             "attempts = 1",
                             "[exercises.9]\npoints = 1",
                             "deadline = 5",
                             "deadline = '2026-02-31T12:00:00Z'",
                             "deadline = 2026-02-31T12:00:00Z",
                             "unknown_time = 'late'",
                             "unknown_time = true",
                             "[late]\npercent_a_day = 200",
                             "[late]\nfree_days = 0.5",
                             "[late]\nfree_days = true",
                             "[late]\nfree_days = '2'",
                             "[groups]\na = 'anna'",
                             "[groups]\na = ['x', 2]",
                             "[groups]\na = ['x']\nb = ['x']",
                             "[extensions]\nanna = -1",
                             "[extensions]\nanna = '3'",
                             "= 3",
                             "[exercises.01]\nextra_credit = 'yes'",
                             "[exercises.1]\npoints = 20\n[exercises.01]\npoints = 30",
                             "[exercises.01_single_head]\npoints = 20\n[exercises.01]\nextra_credit = true",
                             "[extensions]\nanna = { 1 = 2, 01 = 3 }",
                             "[exercises]\n01 = 20"})
        EXPECT_THROW(MarkingPolicy::parse(text, exercises), MarkingPolicyError) << text;
}

TEST(ClassToml, WhatShouldBeATableIsRefusedByName) {
    for (const std::string name : {"late", "exercises", "extensions", "groups"})
        for (const std::string value : {" = 10", " = 'x'", " = []"}) try {
                MarkingPolicy::parse(name + value, exercises);
                ADD_FAILURE() << name << value;
            } catch (const MarkingPolicyError& error) {
                EXPECT_NE(std::string(error.what()).find(name + " is a table"), std::string::npos) << error.what();
            }
}

TEST(ClassToml, IdsThatNobodyHasAreFound) {
    const auto policy =
        MarkingPolicy::parse("[extensions]\nanna = 1\nany = 2\n[groups]\nteam = ['anna', 'ben', 'bne']", exercises);
    EXPECT_EQ(policy.strangers({"anna", "ben"}), (std::set<std::string>{"any", "bne"}));
}

}  // namespace
}  // namespace headway::gradebook
