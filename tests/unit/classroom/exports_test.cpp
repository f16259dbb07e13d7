// What other programs read.
#include "classroom/exports.hpp"
#include "classroom/csv.hpp"

#include <gtest/gtest.h>

namespace headway::classroom {
namespace {

std::vector<gradebook::Mark> two_marks() {
    gradebook::Mark complete;
    complete.student = "4711";
    complete.points = 17.5;
    complete.max_points = 20;
    complete.free_days = 2;
    complete.exercises.resize(1);
    complete.exercises[0].exercise = "03_scaled_scores";
    complete.exercises[0].standing = gradebook::Standing::graded;
    complete.exercises[0].points = 17.5;
    complete.exercises[0].max_points = 20;
    complete.exercises[0].score = {verdict::State::failed, 7, 10};
    complete.adjustments = {{"4711", "03_scaled_scores", 3.5, "prof", "<effort>", "2026-05-09T12:00:00Z"}};
    complete.notes = {"=1+1, \"late\""};
    gradebook::Mark pending = complete;
    pending.student = "-anna";
    pending.complete = false;
    pending.free_days = 0;
    pending.exercises[0].standing = gradebook::Standing::pending;
    pending.exercises[0].open = true;
    pending.notes.clear();
    pending.adjustments.clear();
    return {complete, pending};
}

TEST(Csv, FieldsAreQuotedAndFormulasAreText) {
    Csv csv;
    csv.text("a,b").text("say \"x\"").text("two\nlines").text("=cmd()").text("+1").text("-1").text("@x").text("\tx");
    csv.number(-1.50).number(0.001).empty().end_row();
    EXPECT_EQ(csv.take(), "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",'=cmd(),'+1,'-1,'@x,'\tx,-1.5,0,\r\n");
}

TEST(Csv, NumbersAreRoundedAsPeopleDo) {
    for (const auto& [value, text] : {std::pair{6.125, "6.13"},
                                      {-6.125, "-6.13"},
                                      {1.005, "1.01"},
                                      {6.1249, "6.12"},
                                      {4.199999999999999, "4.2"},
                                      {-0.001, "0"}})
        EXPECT_EQ(two_decimals(value), text);
}

TEST(Exports, AnIncompleteMarkIsEmptyAndNeverZero) {
    EXPECT_EQ(marks_csv(two_marks()),
              "student,points,max_points,complete,adjusted,free_days,03_scaled_scores,03_scaled_scores_points,"
              "03_scaled_scores_days_late,03_scaled_scores_deducted,03_scaled_scores_adjusted,notes\r\n"
              "4711,17.5,20,yes,0,2,graded,17.5,0,0,0,\"'=1+1, \"\"late\"\"\"\r\n"
              "'-anna,,20,no,0,0,pending,,0,0,0,\r\n");
}

TEST(Exports, AMarkWithoutATimeIsEmptyAndSaysSo) {
    std::vector<gradebook::Mark> marks = two_marks();
    marks[1].exercises[0].standing = gradebook::Standing::untimed;
    EXPECT_NE(marks_csv(marks).find("'-anna,,20,no,0,0,untimed,,0,0,0,\r\n"), std::string::npos);
}

Roster two_people() {
    return Roster::parse(
        "Student,ID,SIS User ID,SIS Login ID,Section\n\"Lovelace, Ada\",4711,u1,ada,A\nBen,4712,u2,ben,B\n",
        "roster.csv");
}

/// What a platform named, or did not.
gradebook::Attempt attempt(const std::string& student, const std::string& entry) {
    gradebook::Attempt attempt;
    attempt.student = student;
    attempt.entry = entry;
    return attempt;
}

TEST(Numbers, AreOfThePlatformThatGaveThem) {
    const std::vector<gradebook::Attempt> attempts = {
        attempt("4711", "Ada_4711_assignsubmission_file_"), attempt("815", "ben_LATE_815_90210_a.zip"),
        attempt("2026", "2026.zip"), attempt("eve", "eve_816_90211_a.zip")};
    EXPECT_EQ(moodle_participants({}, attempts), (Numbers{{"4711", "4711"}}));
    EXPECT_EQ(canvas_users({}, attempts), (Numbers{{"815", "815"}})) << "eve's id came from a pattern";
}

TEST(Numbers, OfARosterAreOfThePlatformThatWroteIt) {
    const auto canvas = Roster::parse("Student,ID,SIS User ID,SIS Login ID\nAda,815,1001,ada\n", "r");
    EXPECT_EQ(canvas_users(canvas, {}), (Numbers{{"815", "815"}}));
    EXPECT_TRUE(moodle_participants(canvas, {}).empty());
    for (const char* text :
         {"Identifier,Full name\nParticipant 4711,Ada\n", "ID;Gruppen\nTeilnehmer/in4711;A\n", "Identifier\n4711\n"}) {
        EXPECT_EQ(moodle_participants(Roster::parse(text, "r"), {}), (Numbers{{"4711", "4711"}})) << text;
        EXPECT_TRUE(canvas_users(Roster::parse(text, "r"), {}).empty()) << text;
    }
    for (const char* text : {"id,name\n4711,Ada\n", "First Name,Last Name,SID\nAda,Lovelace,4711\n"}) {
        EXPECT_TRUE(moodle_participants(Roster::parse(text, "r"), {}).empty()) << text;
        EXPECT_TRUE(canvas_users(Roster::parse(text, "r"), {}).empty()) << text;
    }
}

TEST(Exports, ANumberOfAnotherPlatformIsNobodysRow) {
    EXPECT_EQ(moodle_csv(two_marks(), "2026-05-01T12:00:00Z", {}).find("4711"), std::string::npos);
    EXPECT_EQ(canvas_csv(two_marks(), {}, {}).find("4711"), std::string::npos);
    const Roster gradescopes = Roster::parse("Name,SID\nAda,4711\n", "roster.csv");
    EXPECT_NE(canvas_csv(two_marks(), {}, {}, gradescopes).find("Ada,,4711,,,17.5\r\n"), std::string::npos)
        << "a SID is the university's";
    const Roster own = Roster::parse("id,name\n4711,Ada\n", "roster.csv");
    EXPECT_EQ(canvas_csv(two_marks(), {}, {}, own).find("Ada"), std::string::npos);
}

/// The three columns that Moodle's importer insists on, ids as it writes them, and what the student reads.
TEST(Exports, MoodlesWorksheet) {
    EXPECT_EQ(moodle_csv(two_marks(), "2026-05-01T12:00:00Z", {{"4711", "4711"}, {"-anna", "4712"}}),
              "Identifier,Grade,Last modified (grade),Feedback comments\r\n"
              "Participant 4711,17.5,2026-05-01T12:00:00Z,"
              "\"17.5 of 20 points. 03: 17.5 / 20. 7 of 10 by the tests, which are 14 of the 20 that the exercise "
              "counts. +3.5 by prof on 2026-05-09: &lt;effort&gt;\"\r\n"
              "Participant 4712,,2026-05-01T12:00:00Z,"
              "\"No mark yet. 03: - / 20. Not graded yet: no points, and no zero.\"\r\n");
}

/// Student, ID, SIS User ID, SIS Login ID, Section, then assignments; the points possible in the second row.
TEST(Exports, CanvassGradebook) {
    EXPECT_EQ(canvas_csv(two_marks(), {.assignment = "Attention"}, {{"4711", "4711"}}),
              "Student,ID,SIS User ID,SIS Login ID,Section,Attention\r\n"
              "    Points Possible,,,,,20\r\n"
              "4711,4711,,,,17.5\r\n"
              "'-anna,,,'-anna,,\r\n");
}

TEST(Exports, CanvasGetsNamesAndSectionsFromTheRoster) {
    const std::string csv = canvas_csv(two_marks(), {}, canvas_users(two_people(), {}), two_people());
    EXPECT_NE(csv.find("\"Lovelace, Ada\",4711,u1,ada,A,17.5\r\n"), std::string::npos) << csv;
}

TEST(Exports, CanvasGetsNobodyWhomItDoesNotKnow) {
    const std::string csv = canvas_csv(two_marks(), {}, canvas_users(two_people(), {}), two_people());
    EXPECT_EQ(csv.find("anna"), std::string::npos) << "she is in no roster" << csv;
    EXPECT_NE(canvas_csv(two_marks(), {}, {}).find("anna"), std::string::npos) << "without a roster nobody is a guest";
}

TEST(Exports, AnAssignmentPerExerciseAddsUpToTheMark) {
    std::vector<gradebook::Mark> marks = two_marks();
    marks[0].points -= 1;  // set, or adjusted, as a whole
    const std::string csv = canvas_csv(marks, {.assignment = "Attention", .of = GradeColumns::Of::each_exercise},
                                       canvas_users(two_people(), {}), two_people());
    EXPECT_NE(csv.find("Section,Attention 03_scaled_scores,Attention by hand\r\n    Points Possible,,,,,20,0\r\n"),
              std::string::npos)
        << csv;
    EXPECT_NE(csv.find(",A,17.5,-1\r\n"), std::string::npos) << csv;
}

TEST(Exports, RoundingHasAColumnOfItsOwnBesideExercises) {
    std::vector<gradebook::Mark> marks = two_marks();
    marks[0].points = 18;
    marks[0].rounded_from = 17.5;
    const std::string csv = canvas_csv(marks, {.assignment = "Attention", .of = GradeColumns::Of::each_exercise},
                                       canvas_users(two_people(), {}), two_people());
    EXPECT_NE(csv.find("Attention 03_scaled_scores,Attention rounding\r\n    Points Possible,,,,,20,0\r\n"),
              std::string::npos)
        << csv;
    EXPECT_NE(csv.find(",A,17.5,0.5\r\n"), std::string::npos) << csv;
}

TEST(Exports, MoodlesCommentSaysWhatIsDroppedAndRounded) {
    std::vector<gradebook::Mark> marks = two_marks();
    marks[0].points = 18;
    marks[0].rounded_from = 17.5;
    marks[0].exercises[0].is_dropped = true;
    const std::string csv = moodle_csv(marks, "2026-05-01T12:00:00Z", {{"4711", "4711"}});
    EXPECT_NE(csv.find("Not in the total: it is among your lowest, which are dropped. In all: rounded from 17.5."),
              std::string::npos)
        << csv;
}

/// OrgDefinedId and Username, grade items, and the mark at the end of a row.
TEST(Exports, BrightspacesImport) {
    EXPECT_EQ(brightspace_csv(two_marks(), {.assignment = "Attention"}),
              "OrgDefinedId,Username,Attention Points Grade,End-of-Line Indicator\r\n"
              ",#-anna,,#\r\n")
        << "whose number 4711 is, Brightspace did not say";
    const Roster own = Roster::parse("id,name\n4711,Ada\nben,Ben\n", "roster.csv");
    EXPECT_FALSE(has_brightspace_row("4711", own));
    EXPECT_TRUE(has_brightspace_row("ben", own)) << "may be a user name";
}

TEST(Exports, BrightspaceGetsBothOfItsKeysBack) {
    std::vector<gradebook::Mark> marks = two_marks();
    marks[1].student = "ben";
    marks.push_back(marks[1]);
    marks.back().student = "guest";
    Roster roster = Roster::parse(
        "OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator\n"
        "#004711,#ada,Lovelace,Ada,#\n#004712,#ben,Bitdiddle,Ben,#\n",
        "roster.csv");
    roster.go_by({"ben", "guest"});
    marks[0].student = "004711";
    EXPECT_EQ(brightspace_csv(marks, {}, roster),
              "OrgDefinedId,Username,Headway Points Grade,End-of-Line Indicator\r\n"
              "#004711,#ada,17.5,#\r\n"
              "#004712,#ben,,#\r\n");
    const Roster users = Roster::parse("Username,End-of-Line Indicator\n#4711,#\n", "roster.csv");
    EXPECT_NE(brightspace_csv(two_marks(), {}, users).find("\r\n,#4711,17.5,#\r\n"), std::string::npos)
        << "a user name of digits";
}

TEST(Exports, AGradeItemPerExerciseAddsUpToTheMark) {
    std::vector<gradebook::Mark> marks = two_marks();
    marks[0].student = "ada";
    marks[0].points += 1;
    EXPECT_EQ(brightspace_csv(marks, {.assignment = "Attention", .of = GradeColumns::Of::each_exercise}),
              "OrgDefinedId,Username,Attention 03_scaled_scores Points Grade,Attention by hand Points Grade,"
              "End-of-Line Indicator\r\n"
              ",#ada,17.5,1,#\r\n"
              ",#-anna,,,#\r\n");
}

TEST(Exports, TheRosterAddsNamesAndSaysWhoIsNotInIt) {
    const std::string csv = marks_csv(two_marks(), two_people());
    EXPECT_NE(csv.find("student,name,section,points"), std::string::npos) << csv;
    EXPECT_NE(csv.find("4711,\"Lovelace, Ada\",A,17.5,20,yes"), std::string::npos) << csv;
    EXPECT_NE(csv.find("'-anna,,,,20,no,0,0,pending,,0,0,0,not in the roster\r\n"), std::string::npos) << csv;
}

/// An instructor leaves an exercise out by points = 0: nobody is missing it, and nobody waits for it.
TEST(Exports, WhatCountsNothingIsLeftOut) {
    std::vector<gradebook::Mark> marks = two_marks();
    for (gradebook::Mark& mark : marks) mark.exercises.push_back(marks[1].exercises[0]);
    for (gradebook::Mark& mark : marks) mark.exercises[1].exercise = "06_multi_query";
    for (gradebook::Mark& mark : marks) mark.exercises[1].max_points = 0;
    marks[0].complete = false;
    std::vector<gradebook::Mark> left = marks;
    leave_out_what_does_not_count(left);
    EXPECT_EQ(left[0].exercises.size(), 1U);
    EXPECT_TRUE(left[0].complete);
    EXPECT_FALSE(left[1].complete) << "of an exercise that counts";
    marks[1].exercises[1].adjusted = 1;
    leave_out_what_does_not_count(marks);
    EXPECT_EQ(marks[0].exercises.size(), 2U) << "what a person gave points for stays, in every row";
}

}  // namespace
}  // namespace headway::classroom
