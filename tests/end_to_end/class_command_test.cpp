// An instructor's day: grade a class, look, correct, export.
#include "class_command.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>

#include <sys/stat.h>

namespace headway {
namespace {

TEST_F(ClassCommand, StrangersCodeIsNotRunWithoutAJail) {
    build::write_file(desk_.folder() / "policy.toml", "[jail]\nswitched_off = [\"no_network\"]\n");
    const auto refused = class_command({"grade", path("class")});
    EXPECT_EQ(refused.ended.exit_code, 3) << refused.output;
    EXPECT_NE(refused.output.find("--unsafe"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path("gradebook.sqlite")));
}

TEST_F(ClassCommand, FromHandInsToMarks) {
    const auto first = grade();
    EXPECT_EQ(first.ended.exit_code, 1) << first.output;
    EXPECT_NE(first.output.find("2 exercises graded"), std::string::npos) << first.output;
    EXPECT_NE(first.output.find("304: holds no exercise"), std::string::npos) << first.output;
    EXPECT_NE(grade().output.find("0 exercises graded"), std::string::npos);

    EXPECT_EQ(class_command({"adjust", "303", "04", "--points", "1.5", "--author", "prof", "--reason", "effort"})
                  .ended.exit_code,
              0);
    const auto unknown = class_command({"export", "canvas", path("canvas.csv")});
    EXPECT_EQ(unknown.ended.exit_code, 1);
    EXPECT_TRUE(says(unknown, "nobody says which number Canvas has for them: 301, 302, 303, 304")) << unknown.output;
    folder_.write("roster.csv", "Student,ID,SIS Login ID\n,301,\n,302,\n,303,\n,304,\n");
    const auto exported = class_command({"export", "canvas", path("canvas.csv")});
    EXPECT_EQ(exported.ended.exit_code, 1);
    EXPECT_NE(exported.output.find("1 student handed in what could not be read"), std::string::npos) << exported.output;
    const std::string canvas = build::read_file(path("canvas.csv"));
    EXPECT_NE(canvas.find("301,301,,,,10\r\n"), std::string::npos) << canvas;
    EXPECT_NE(canvas.find("303,303,,,,1.5\r\n"), std::string::npos) << canvas;
    EXPECT_NE(canvas.find("304,304,,,,\r\n"), std::string::npos) << canvas;
    EXPECT_TRUE(says(class_command({"export", "moodle", path("moodle.csv")}), "which number Moodle has for them: 301"));
    folder_.write("worksheet.csv", "Identifier\nParticipant 301\nParticipant 302\nParticipant 303\nParticipant 304\n");
    EXPECT_TRUE(says(class_command({"export", "moodle", path("moodle.csv"), "--roster", path("worksheet.csv")}),
                     "4 students in"));
    const std::string moodle = build::read_file(path("moodle.csv"));
    EXPECT_NE(moodle.find("Participant 304,,"), std::string::npos) << moodle;
    const auto unlisted = class_command({"export", "brightspace", path("brightspace.csv")});
    EXPECT_EQ(unlisted.ended.exit_code, 1);
    EXPECT_TRUE(says(unlisted, "nobody says which number Brightspace has for them: 301")) << unlisted.output;
    folder_.write("grades.csv", "OrgDefinedId,End-of-Line Indicator\n#301,#\n#302,#\n#303,#\n#304,#\n");
    EXPECT_TRUE(says(class_command({"export", "brightspace", path("brightspace.csv"), "--roster", path("grades.csv"),
                                    "--assignment", "Attention"}),
                     "4 students in"));
    const std::string brightspace = build::read_file(path("brightspace.csv"));
    EXPECT_TRUE(brightspace.starts_with("OrgDefinedId,Username,Attention Points Grade,End-of-Line Indicator\r\n"))
        << brightspace;
    EXPECT_NE(brightspace.find("#301,,10,#\r\n"), std::string::npos) << brightspace;
    EXPECT_NE(brightspace.find("#304,,,#\r\n"), std::string::npos) << brightspace;
    EXPECT_EQ(class_command({"export", "gradescope", path("results"), "--visible", "after_due_date"}).ended.exit_code,
              1);
    EXPECT_FALSE(std::filesystem::exists(path("results/304")));
    const auto results = nlohmann::json::parse(build::read_file(path("results/302/results.json")));
    EXPECT_EQ(results.at("score"), 10);
    EXPECT_EQ(results.at("visibility"), "after_due_date");
    EXPECT_EQ(results.at("tests").at(0).at("visibility"), "after_due_date");

    // A person's word, be it 0 points, makes a mark of it.
    class_command({"adjust", "304", "--points", "0", "--author", "prof", "--reason", "nothing in it"});
    EXPECT_EQ(class_command({"export", "canvas", path("canvas.csv")}).ended.exit_code, 0);
    EXPECT_NE(build::read_file(path("canvas.csv")).find("304,304,,,,0\r\n"), std::string::npos);

    folder_.write("class.toml", "[exercises.04]\npoints = 20\n");
    class_command({"adjust", "302", "--set", "7", "--author", "prof", "--reason", "oral"});
    const auto with_set_marks = class_command({"regrade"});
    EXPECT_TRUE(says(with_set_marks, "1 mark changes: 1 up, 0 down.")) << with_set_marks.output;
    EXPECT_TRUE(says(with_set_marks, "stays what it is for 302")) << with_set_marks.output;
    class_command({"adjust", "302", "--unset", "--author", "prof", "--reason", "oral"});
    const auto proposal = class_command({"regrade"});
    EXPECT_NE(proposal.output.find("10.00 -> 20.00"), std::string::npos) << proposal.output;
    EXPECT_NE(proposal.output.find("2 marks change: 2 up"), std::string::npos) << proposal.output;
    EXPECT_EQ(proposal.ended.exit_code, 1);
    EXPECT_EQ(class_command({"regrade", "--yes"}).ended.exit_code, 0);
    EXPECT_NE(class_command({"regrade"}).output.find("nothing to regrade"), std::string::npos);
}

TEST_F(ClassCommand, CopiesAreLookedForInTheSolutionAndInOtherFolders) {
    folder_.write("2025/s9/merge_heads.cpp", "// last year\n" + solution("04_merge_heads/merge_heads.cpp"));
    grade();
    const auto report = class_command({"report", path("report"), "--compare", path("2025")});
    EXPECT_EQ(report.ended.exit_code, 0) << report.output;
    EXPECT_NE(report.output.find("Compared with 1 hand-in."), std::string::npos) << report.output;
    const std::string page = build::read_file(path("report/similarity.html"));
    EXPECT_NE(page.find("301, 302 (the same files)"), std::string::npos);
    EXPECT_NE(page.find("as in 2025: s9; the course's solution"), std::string::npos) << page.substr(0, 6000);
    const auto nowhere = class_command({"report", path("report"), "--compare", path("nowhere")});
    EXPECT_EQ(nowhere.ended.exit_code, 2);
    EXPECT_NE(nowhere.output.find("cannot compare with"), std::string::npos) << nowhere.output;

    const auto exported = class_command({"export", "jplag", path("jplag")});
    EXPECT_EQ(exported.ended.exit_code, 0) << exported.output;
    EXPECT_NE(exported.output.find("java -jar jplag.jar"), std::string::npos) << exported.output;
    EXPECT_TRUE(std::filesystem::exists(path("jplag/04_merge_heads/submissions/303/merge_heads.cpp")));
    EXPECT_EQ(class_command({"export", "jplag", path("jplag")}).ended.exit_code, 2) << "it is there already";
}

TEST_F(ClassCommand, NobodyVanishesForAName) {
    std::filesystem::remove_all(path("class"));
    hand_in("Jane Doe", solution("04_merge_heads/merge_heads.cpp"));
    hand_in("Jürgen", solution("04_merge_heads/merge_heads.cpp"));
    hand_in("(who?)", solution("04_merge_heads/merge_heads.cpp"));
    folder_.write("class/readme.txt", "");
    const auto graded = grade();
    EXPECT_EQ(graded.ended.exit_code, 1) << graded.output;
    EXPECT_NE(graded.output.find("3 students"), std::string::npos) << graded.output;
    EXPECT_NE(graded.output.find("'(who?)': the name is no usable student id:"), std::string::npos) << graded.output;
    EXPECT_NE(graded.output.find("\nreadme.txt\n"), std::string::npos) << graded.output;
    EXPECT_EQ(class_command({"adjust", "Jane Doe", "--points", "1", "--author", "prof", "--reason", "effort"})
                  .ended.exit_code,
              0);
    class_command({"export", "csv", path("marks.csv")});
    const std::string csv = build::read_file(path("marks.csv"));
    for (const char* row : {"\r\nJane~Doe,11,", "\r\nJürgen,10,", "\r\n'(who?)',,", "is no usable student id"})
        EXPECT_NE(csv.find(row), std::string::npos) << row << csv;
    ASSERT_EQ(class_command({"report", path("report")}).ended.exit_code, 0);
    for (const char* page : {"Jane~Doe.html", "Jürgen.html"})
        EXPECT_TRUE(std::filesystem::exists(path("report/students/") + page)) << page;
    EXPECT_NE(build::read_file(path("report/index.html")).find("(who?)"), std::string::npos);

    // Found by a pattern, the row goes.
    EXPECT_EQ(
        class_command({"grade", path("class"), "--student-id", R"(^\W*([a-zü A-Z]+)\W*$)", "--unsafe"}).ended.exit_code,
        0);
    EXPECT_EQ(class_command({"export", "csv", path("marks.csv")}).ended.exit_code, 0);
    EXPECT_EQ(build::read_file(path("marks.csv")).find("(who?)"), std::string::npos);
}

TEST_F(ClassCommand, AFolderTakenForAnotherLayoutIsNotRecorded) {
    ASSERT_EQ(grade().ended.exit_code, 1);
    folder_.write("other/lovelaceada_815_90210_merge_heads.cpp", "this does not compile");
    const auto refused = class_command({"grade", path("other"), "--unsafe"});
    EXPECT_EQ(refused.ended.exit_code, 2) << refused.output;
    EXPECT_NE(refused.output.find("nothing was recorded"), std::string::npos) << refused.output;
    class_command({"export", "csv", path("marks.csv")});
    EXPECT_EQ(build::read_file(path("marks.csv")).find("815"), std::string::npos);
    folder_.write("other/studenttest_999_90211_merge_heads.cpp", "this does not compile");
    const auto said = class_command({"grade", path("other"), "--layout", "canvas", "--unsafe"});
    EXPECT_EQ(said.ended.exit_code, 0) << said.output;
    EXPECT_TRUE(says(said, "Canvas made this student up (Student, Test):\nstudenttest_999_90211_merge_heads.cpp"));
    EXPECT_NE(said.output.find("1 student (Canvas): 1 new"), std::string::npos) << said.output;
    folder_.write("roster.csv", "Student,ID,SIS Login ID\n\"Lovelace, Ada\",815,ada\n\"Student, Test\",301,a1b2\n");
    const auto exported = class_command({"export", "csv", path("marks.csv")});
    EXPECT_TRUE(says(exported, "\"Student, Test\" of the roster, whom Canvas made up, is no student"));
    EXPECT_EQ(build::read_file(path("marks.csv")).find("\n301,"), std::string::npos) << "handed in before it was told";
}

/// The points of all exercises but one.
std::string points_but_for_one() {
    const std::filesystem::directory_iterator exercises(HEADWAY_SOURCE_DIR "/stubs"), end;
    return std::to_string(10 * (std::distance(exercises, end) - 1));
}

TEST_F(ClassCommand, NobodyIsMissingAndFeedbackGoesBack) {
    ASSERT_EQ(grade().ended.exit_code, 1);
    folder_.write("roster.csv", "Student,ID,SIS Login ID,Section\nAda Lovelace,301,,A\nEve,304,,B\nBen,305,,B\n");
    folder_.write("class.toml", "[exercises.01]\npoints = 0\n");
    class_command({"regrade", "--yes"});

    const auto exported = class_command({"export", "csv", path("marks.csv")});
    EXPECT_TRUE(says(exported, "5 students in")) << exported.output;
    EXPECT_TRUE(says(exported, "not in the roster (guests, or mistyped ids): 302, 303")) << exported.output;
    const std::string marks = build::read_file(path("marks.csv"));
    EXPECT_NE(marks.find("305,Ben,B,0," + points_but_for_one() + ",yes"), std::string::npos) << marks;
    EXPECT_EQ(marks.find("01_single_head_points"), std::string::npos) << marks;
    EXPECT_EQ(marks.find("no hand-in of their own"), std::string::npos) << "nobody is in a group: " << marks;

    const auto canvas = class_command({"export", "canvas", path("canvas.csv")});
    EXPECT_TRUE(says(canvas, "3 students in")) << canvas.output;
    EXPECT_TRUE(says(canvas, "left out of the file, since Canvas refuses or makes up whom it does not know: 302, 303"));
    EXPECT_EQ(build::read_file(path("canvas.csv")).find("302"), std::string::npos);

    EXPECT_TRUE(says(class_command({"attempts", "Ada Lovelace"}), "301"));
    EXPECT_TRUE(says(class_command({"attempts", "Ben"}), "305 is in the class, and has handed in nothing"));
    EXPECT_TRUE(says(class_command({"forget", "Ben", "--yes"}), "take out their line there"));
    EXPECT_TRUE(says(class_command({"attempts", "Nemo"}), "and is not in the roster"));
    const std::vector<std::string> why = {"--author", "prof", "--reason", "oral exam"};
    EXPECT_TRUE(says(class_command({"pin", "Ben", "1", why[0], why[1], why[2], why[3]}), "there is no attempt"));
    class_command({"adjust", "Ben", "--set", "5", why[0], why[1], why[2], why[3]});
    class_command({"export", "csv", path("marks.csv")});
    EXPECT_NE(build::read_file(path("marks.csv")).find("305,Ben,B,5," + points_but_for_one() + ",yes"),
              std::string::npos);
    class_command({"adjust", "Ben", "--unset", why[0], why[1], why[2], why[3]});

    EXPECT_TRUE(says(class_command({"export", "brightspace", path("brightspace.csv")}),
                     "left out of the file, since nobody in the roster goes by these ids: 302, 303"));
    EXPECT_TRUE(says(class_command({"export", "csv", path("marks.csv"), "--per-exercise"}), "class export canvas"));

    ASSERT_EQ(class_command({"report", path("report")}).ended.exit_code, 0);
    const std::string page = build::read_file(path("report/index.html"));
    EXPECT_NE(page.find("Ada Lovelace"), std::string::npos);
    EXPECT_NE(page.find("Nothing handed in"), std::string::npos);

    const auto feedback = class_command({"export", "feedback", path("feedback")});
    EXPECT_EQ(feedback.ended.exit_code, 1) << feedback.output;
    EXPECT_TRUE(says(feedback, "3 pages in")) << feedback.output;
    EXPECT_TRUE(says(feedback, "1 student handed in nothing")) << feedback.output;
    EXPECT_TRUE(says(feedback, "1 student without a mark")) << feedback.output;
    EXPECT_NE(build::read_file(path("feedback/301.html")).find("Ada Lovelace (301)"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path("feedback/304.html")));
    EXPECT_TRUE(says(class_command({"export", "moodle-feedback", path("moodle.zip")}), "that Moodle gave it"))
        << "Canvas's numbers are other people's there";
    folder_.write("roster.csv", "Identifier,Full name\nParticipant 301,Ada Lovelace\n");
    EXPECT_EQ(class_command({"export", "moodle-feedback", path("moodle.zip")}).ended.exit_code, 1);
    EXPECT_TRUE(std::filesystem::exists(path("moodle.zip")));

    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_TRUE(says(class_command({"export", "csv", path("pipe")}), "is no ordinary file"));
    const auto nowhere = class_command({"export", "canvas-feedback", path("canvas.zip")});
    EXPECT_EQ(nowhere.ended.exit_code, 2) << nowhere.output;
    EXPECT_TRUE(says(nowhere, "none of these hand-ins has a name that Canvas gave it")) << nowhere.output;
    EXPECT_FALSE(std::filesystem::exists(path("canvas.zip")));
}

TEST_F(ClassCommand, ARosterThatKnowsNobodyIsRefused) {
    hand_in("305", "this does not compile");
    folder_.write("roster.csv", "First name,Last name,Email address\nAda,Lovelace,ada@x.org\nBen,Bitdiddle,b@x.org\n");
    const auto refused = grade();
    EXPECT_EQ(refused.ended.exit_code, 2) << refused.output;
    EXPECT_TRUE(says(refused, "lists none of the 5 students who handed in: 301, 302, 303, 304, 305")) << refused.output;
    EXPECT_TRUE(says(refused, "take the grading worksheet")) << refused.output;
    folder_.write("roster.csv", "id,name\n301,Ada\n309,Ben\n");
    EXPECT_EQ(grade().ended.exit_code, 1);
    folder_.write("roster.csv", "id\nada\n");
    EXPECT_EQ(class_command({"export", "csv", path("marks.csv")}).ended.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(path("marks.csv")));
}

TEST_F(ClassCommand, ChromiumShowsTheReport) {
    if (std::string(CHROMIUM).empty()) GTEST_SKIP() << "there is no Chromium here";
    grade();
    ASSERT_EQ(class_command({"report", path("report")}).ended.exit_code, 0);
    for (const auto& [page, expected] : {std::pair<const char*, const char*>{"index.html", "students/301.html"},
                                         {"similarity.html", "301, 302"},
                                         {"students/303.html", "does not compile"}}) {
        const auto shown = chromium_shows(path("report/") + page);
        EXPECT_NE(shown.output.find(expected), std::string::npos) << page << "\n" << shown.output.substr(0, 2000);
    }
}

/// The page as a phone has it, with a script of ours at its end, which says whether each table has room.
std::string measured(std::string page) {
    const auto policy = page.find("<meta http-equiv=\"Content-Security-Policy\"");  // which lets no script run
    if (policy != std::string::npos) page.erase(policy, page.find('>', policy) + 1 - policy);
    return page +
           "<script>document.documentElement.style.width = '420px'; document.title = 'fits: ' + "
           "[...document.querySelectorAll('.list')].every(one => one.scrollWidth <= one.clientWidth)</script>";
}

TEST_F(ClassCommand, ThePageOfCopiesFitsOnAPhone) {
    if (std::string(CHROMIUM).empty()) GTEST_SKIP() << "there is no Chromium here";
    folder_.write("class/adelheid.von-und-zu-hohenstein@informatik.example.org/merge_heads.cpp",
                  solution("04_merge_heads/merge_heads.cpp"));
    folder_.write("roster.csv", "id,name\n301,Ada Lovelace\n302,Émile du Châtelet\n");
    grade();
    ASSERT_EQ(class_command({"report", path("report")}).ended.exit_code, 0);
    const std::string page = build::read_file(path("report/similarity.html"));
    EXPECT_NE(page.find("Ada Lovelace (301), Émile du Châtelet (302)"), std::string::npos) << page.substr(0, 4000);
    folder_.write("report/measured.html", measured(page));
    const auto shown = chromium_shows(path("report/measured.html"));
    EXPECT_NE(shown.output.find("<title>fits: true"), std::string::npos) << shown.output.substr(0, 2000);
}

TEST_F(ClassCommand, WrongUsageIsPutIntoWords) {
    EXPECT_EQ(class_command({"report", path("report")}).ended.exit_code, 2);
    EXPECT_EQ(class_command({"grade", path("nowhere"), "--unsafe"}).ended.exit_code, 2);
    folder_.write("class.toml", "atempts = 'best'");
    const auto misspelt = grade();
    EXPECT_EQ(misspelt.ended.exit_code, 2);
    EXPECT_NE(misspelt.output.find("atempts is unknown"), std::string::npos) << misspelt.output;
}

}  // namespace
}  // namespace headway
