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
    complete.notes = {"=1+1, \"late\""};
    gradebook::Mark pending = complete;
    pending.student = "-anna";
    pending.complete = false;
    pending.free_days = 0;
    pending.exercises[0].standing = gradebook::Standing::pending;
    pending.exercises[0].open = true;
    pending.notes.clear();
    return {complete, pending};
}

TEST(Csv, FieldsAreQuotedAndFormulasAreText) {
    Csv csv;
    csv.text("a,b").text("say \"x\"").text("two\nlines").text("=cmd()").text("+1").text("-1").text("@x").text("\tx");
    csv.number(-1.50).number(0.001).empty().end_row();
    EXPECT_EQ(csv.take(), "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",'=cmd(),'+1,'-1,'@x,'\tx,-1.5,0,\r\n");
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

/// The three columns that Moodle's importer insists on, and ids as it writes them.
TEST(Exports, MoodlesWorksheet) {
    EXPECT_EQ(moodle_csv(two_marks(), "2026-05-01T12:00:00Z"),
              "Identifier,Grade,Last modified (grade)\r\n"
              "Participant 4711,17.5,2026-05-01T12:00:00Z\r\n"
              "'-anna,,2026-05-01T12:00:00Z\r\n");
}

/// Student, ID, SIS User ID, SIS Login ID, Section, then assignments; the points possible in the second row.
TEST(Exports, CanvassGradebook) {
    EXPECT_EQ(canvas_csv(two_marks(), "Headway"),
              "Student,ID,SIS User ID,SIS Login ID,Section,Headway\r\n"
              "    Points Possible,,,,,20\r\n"
              "4711,4711,,,,17.5\r\n"
              "'-anna,,,'-anna,,\r\n");
}

}  // namespace
}  // namespace headway::classroom
