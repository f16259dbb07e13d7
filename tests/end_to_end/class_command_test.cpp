// An instructor's day: grade a class, look, correct, export.
#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace headway {
namespace {

class ClassCommand : public testing::Test {
protected:
    ClassCommand() {
        hand_in("301", solution("04_merge_heads/merge_heads.cpp"));
        hand_in("302", solution("04_merge_heads/merge_heads.cpp"));
        hand_in("303", "this does not compile");
        folder_.write("class/304/notes.txt", "no exercise");
    }

    void hand_in(const std::string& student, const std::string& text) {
        folder_.write("class/" + student + "/04_merge_heads/merge_heads.cpp", text);
    }

    sandbox::Finished class_command(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "class");
        arguments.insert(arguments.end(), {"--gradebook", path("gradebook.sqlite")});
        return desk_.headway(arguments);
    }
    sandbox::Finished grade() const { return class_command({"grade", path("class"), "--unsafe"}); }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

    Desk desk_;
    build::TemporaryFolder folder_;
};

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
    const auto exported = class_command({"export", "canvas", path("canvas.csv")});
    EXPECT_EQ(exported.ended.exit_code, 1);
    EXPECT_NE(exported.output.find("1 student handed in what could not be read"), std::string::npos) << exported.output;
    const std::string canvas = build::read_file(path("canvas.csv"));
    EXPECT_NE(canvas.find("301,301,,,,10\r\n"), std::string::npos) << canvas;
    EXPECT_NE(canvas.find("303,303,,,,1.5\r\n"), std::string::npos) << canvas;
    EXPECT_NE(canvas.find("304,304,,,,\r\n"), std::string::npos) << canvas;
    EXPECT_EQ(class_command({"export", "moodle", path("moodle.csv")}).ended.exit_code, 1);
    const std::string moodle = build::read_file(path("moodle.csv"));
    EXPECT_NE(moodle.find("Participant 304,,"), std::string::npos) << moodle;
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
    const auto proposal = class_command({"regrade"});
    EXPECT_NE(proposal.output.find("10.00 -> 20.00"), std::string::npos) << proposal.output;
    EXPECT_EQ(proposal.ended.exit_code, 1);
    EXPECT_EQ(class_command({"regrade", "--yes"}).ended.exit_code, 0);
    EXPECT_NE(class_command({"regrade"}).output.find("nothing to regrade"), std::string::npos);
}

TEST_F(ClassCommand, NobodyIsMissingAndFeedbackGoesBack) {
    ASSERT_EQ(grade().ended.exit_code, 1);
    folder_.write("roster.csv", "id,name,section\n301,Ada Lovelace,A\n304,Eve,B\n305,Ben,B\n");
    folder_.write("class.toml", "[exercises.01]\npoints = 0\n");
    class_command({"regrade", "--yes"});

    const auto exported = class_command({"export", "csv", path("marks.csv")});
    EXPECT_TRUE(says(exported, "5 students in")) << exported.output;
    EXPECT_TRUE(says(exported, "not in the roster (guests, or mistyped ids): 302, 303")) << exported.output;
    const std::string marks = build::read_file(path("marks.csv"));
    EXPECT_NE(marks.find("305,Ben,B,0,90,yes"), std::string::npos) << marks;
    EXPECT_EQ(marks.find("01_single_head_points"), std::string::npos) << marks;

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
    EXPECT_EQ(class_command({"export", "moodle-feedback", path("moodle.zip")}).ended.exit_code, 1);
    EXPECT_TRUE(std::filesystem::exists(path("moodle.zip")));

    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_TRUE(says(class_command({"export", "csv", path("pipe")}), "is no ordinary file"));
    const auto nowhere = class_command({"export", "canvas-feedback", path("canvas.zip")});
    EXPECT_EQ(nowhere.ended.exit_code, 2) << nowhere.output;
    EXPECT_TRUE(says(nowhere, "none of these hand-ins has a name that Canvas gave it")) << nowhere.output;
    EXPECT_FALSE(std::filesystem::exists(path("canvas.zip")));
}

TEST_F(ClassCommand, ChromiumShowsTheReport) {
    if (std::string(CHROMIUM).empty()) GTEST_SKIP() << "there is no Chromium here";
    grade();
    ASSERT_EQ(class_command({"report", path("report")}).ended.exit_code, 0);
    for (const auto& [page, expected] : {std::pair<const char*, const char*>{"index.html", "students/301.html"},
                                         {"similarity.html", "301 302"},
                                         {"students/303.html", "does not compile"}}) {
        sandbox::Command command;
        command.arguments = {CHROMIUM,
                             "--headless",
                             "--no-sandbox",
                             "--disable-gpu",
                             "--user-data-dir=" + path("chromium"),
                             "--dump-dom",
                             "file://" + path("report/") + page};
        command.environment = {"PATH=/usr/bin:/bin", "HOME=" + folder_.path().string(), "LC_ALL=C.UTF-8"};
        const auto shown = sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway),
                                        std::chrono::seconds(60), std::size_t{4} << 20U);
        EXPECT_NE(shown.output.find(expected), std::string::npos) << page << "\n" << shown.output.substr(0, 2000);
    }
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
