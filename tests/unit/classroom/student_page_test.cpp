// What a student reads about a mark.
#include "classroom/student_page.hpp"
#include "classroom/class_page.hpp"
#include "classroom/html.hpp"

#include "report/junit.hpp"
#include "small_class.hpp"

#include <gmock/gmock.h>

namespace headway::classroom {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* late = "deadline = 2026-05-01T22:00:00+02:00\n[late]\npercent_a_day = 10\nfree_days = 1\n";

std::string page_of(const SmallClass& class_, const std::string& student, Copy copy = Copy::students,
                    verdict::Tell tell = verdict::Tell::full) {
    return student_page(class_.graded(tell), class_.mark(student), "", copy);
}

TEST(StudentPage, SaysHowThePointsComeAboutAndWhatWasGraded) {
    SmallClass class_(late);
    class_.hand_in("anna", "anna.zip", samples::all_right(), "2026-04-30T10:00:00Z");
    class_.hand_in("anna", "anna.zip", samples::wrong(), "2026-05-03T10:00:00Z");
    class_.adjust("anna", "03_scaled_scores", 1.5);
    class_.adjust("anna", "", -0.25);
    const std::string page = page_of(class_, "anna");
    for (const char* told :
         {"13.95 of 20 points", "3 of 10 by the tests.", "2 days late, 1 of your free days used, which takes 0.3 off.",
          "+1.5 by prof on 2026-05-09: effort", "In all: -0.25 by prof", "scaled_scores.cpp", "2026-05-03 10:00 UTC",
          "due 2026-05-01 20:00 UTC", "2 of 2", "2026-05-04 08:00 UTC", "the best counts"})
        EXPECT_THAT(page, HasSubstr(told));
}

TEST(StudentPage, SaysWhatIsDroppedAndRounded) {
    SmallClass class_("drop_lowest = 1\nround = 2\n");
    class_.hand_in("anna", "anna.zip", samples::wrong());
    const std::string page = page_of(class_, "anna");
    for (const char* told : {"4 of 10 points", "Of the exercises that are no extra credit, the lowest does not count",
                             "rounded to the nearest multiple of 2", "Not in the total: it is among your lowest",
                             "not in the total, as the lowest: 01_single_head", "the total is rounded from 3"})
        EXPECT_THAT(page, HasSubstr(told));
    ClassFindings findings;
    findings.marks = class_.marks();
    EXPECT_THAT(class_page(findings), HasSubstr(">3<"));
}

TEST(StudentPage, ShowsVerdictsAsGradeHtmlDoes) {
    SmallClass class_;
    verdict::Exercise wrong = samples::wrong();
    wrong.tests = {samples::failed("Scale", "scores are divided", 2, samples::wrong_scale())};
    class_.hand_in("anna", "anna.zip", wrong);
    const std::string page = page_of(class_, "anna");
    for (const char* told : {"Where it first goes wrong", "yours at [b=1, h=2]", "href=\"#exercise-03\"",
                             "id=\"exercise-03\"", "How to go on"})
        EXPECT_THAT(page, HasSubstr(told));
    EXPECT_THAT(page_of(class_, "anna", Copy::students, verdict::Tell::diagnosis), Not(HasSubstr("yours at [b=1")));
}

TEST(StudentPage, OnlyTheInstructorsCopyLinksToTheClass) {
    SmallClass class_;
    class_.hand_in("anna", "anna.zip", samples::all_right());
    EXPECT_THAT(page_of(class_, "anna", Copy::instructors), HasSubstr("href=\"../index.html\""));
    const std::string page = page_of(class_, "anna");
    for (const char* leads_out : {"../", "http:", "https:", "src=", "<script", "url("})
        EXPECT_THAT(page, Not(HasSubstr(leads_out)));
}

TEST(StudentPage, WhatIsOpenIsNoZero) {
    SmallClass class_;
    class_.hand_in_what_cannot_be_read("anna", "anna.zip");
    const std::string page = page_of(class_, "anna");
    EXPECT_THAT(page, HasSubstr("No mark yet"));
    EXPECT_THAT(page, HasSubstr("- / 10"));
    EXPECT_THAT(page, HasSubstr("the archive is damaged"));
}

TEST(StudentPage, AGroupsMemberReadsWhoHandedIn) {
    SmallClass class_("[groups]\nteam = [\"anna\", \"ben\"]\n");
    class_.hand_in("anna", "anna.zip", samples::all_right());
    EXPECT_THAT(page_of(class_, "ben"), HasSubstr("attempt 1 of 1, by anna for your group"));
}

TEST(StudentPage, MegabytesOfOutputAreCutShort) {
    SmallClass class_;
    verdict::Exercise chatty = samples::all_right();
    chatty.tests[0].output = std::string(1U << 20U, 'x');
    class_.hand_in("anna", "anna.zip", chatty);
    const std::string page = page_of(class_, "anna");
    EXPECT_LT(page.size(), 100'000U);
    EXPECT_THAT(page, HasSubstr("the rest is not kept"));
}

TEST(GradedWork, NothingIsMissingFromADocument) {
    SmallClass class_;
    class_.hand_in("anna", "anna.zip", samples::all_right());
    class_.hand_in_what_cannot_be_read("ben", "ben.zip");
    const std::string anna = report::junit(verdict_with_gaps(class_.graded(), class_.mark("anna")));
    EXPECT_THAT(anna, HasSubstr("name=\"03_scaled_scores\" tests=\"1\" failures=\"1\" errors=\"0\""));
    EXPECT_THAT(anna, HasSubstr("nothing that can be graded was handed in"));
    const std::string ben = report::junit(verdict_with_gaps(class_.graded(), class_.mark("ben")));
    EXPECT_THAT(ben, HasSubstr("name=\"03_scaled_scores\" tests=\"1\" failures=\"0\" errors=\"1\""));
}

TEST(ClassPage, SpeaksPlainlyAndNamesPeopleOnlyFromARoster) {
    SmallClass class_;
    class_.hand_in("s1", "s1.zip", samples::untouched());
    cli::Course course;
    course.root = HEADWAY_SOURCE_DIR;
    for (const std::string& name : SmallClass::exercises) course.exercises.emplace_back().name = name;
    ClassFindings findings = find_out(class_.graded().gradebook, class_.graded().edition, class_.marks(), course, {});
    const std::string page = class_page(findings);
    EXPECT_THAT(page, HasSubstr("1 student, by the ids"));
    EXPECT_THAT(page, HasSubstr("1 not started"));
    EXPECT_THAT(page, Not(HasSubstr("not_started")));
    EXPECT_THAT(page, Not(HasSubstr("></th>")));

    findings.marks.push_back(findings.marks.front());
    findings.marks.back().student = "guest";
    const std::string named = class_page(findings, Roster::parse("id,name,section\ns1,Ada <L>,B\n", "roster.csv"));
    EXPECT_THAT(named, HasSubstr("Ada &lt;L&gt;"));
    EXPECT_THAT(named, HasSubstr("Not in the roster"));
    EXPECT_THAT(named, HasSubstr("Everybody in the roster has handed in something"));
}

TEST(ClassPage, ShowsThePointsThatExportsHave) {
    SmallClass class_(late);
    class_.hand_in("anna", "anna.zip", samples::wrong(), "2026-05-04T10:00:00Z");
    class_.adjust("anna", "03_scaled_scores", 0.05);
    class_.adjust("anna", "01_single_head", 1.25);
    ClassFindings findings;
    findings.marks = class_.marks();
    const std::string page = class_page(findings);
    EXPECT_THAT(page, HasSubstr(">2.45<")) << "3 points, less two days, and a bit by hand";
    EXPECT_THAT(page, HasSubstr(">1.25<")) << "for what was not handed in";
    EXPECT_THAT(page, HasSubstr(">3.7<"));
    EXPECT_THAT(page, Not(HasSubstr(">missing<")));
}

TEST(ClassHtml, PicturesAndTablesCanBeHeard) {
    Html page("Marks");
    page.bars("Students", {{"0 %", 3}, {"10 %", 0}}).table({"", "points"}, {{{"anna"}, {"3", "", true}}});
    const std::string text = page.take();
    EXPECT_THAT(text, HasSubstr("aria-label=\"Students: 3 at 0 %, 0 at 10 %\""));
    EXPECT_THAT(text, HasSubstr("viewBox=\"0 0 76 160.0\""));
    EXPECT_THAT(text, Not(HasSubstr("\"></th>")));
}

}  // namespace
}  // namespace headway::classroom
