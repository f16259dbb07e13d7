// An instructor's day: grade a class, look, correct, export.
#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

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
    EXPECT_NE(exported.output.find("1 handed in what could not be read"), std::string::npos) << exported.output;
    const std::string canvas = build::read_file(path("canvas.csv"));
    EXPECT_NE(canvas.find("301,301,,,,10\r\n"), std::string::npos) << canvas;
    EXPECT_NE(canvas.find("303,303,,,,1.5\r\n"), std::string::npos) << canvas;
    EXPECT_NE(canvas.find("304,304,,,,\r\n"), std::string::npos) << canvas;
    EXPECT_EQ(class_command({"export", "moodle", path("moodle.csv")}).ended.exit_code, 1);
    const std::string moodle = build::read_file(path("moodle.csv"));
    EXPECT_NE(moodle.find("Participant 304,,"), std::string::npos) << moodle;
    EXPECT_EQ(class_command({"export", "gradescope", path("results")}).ended.exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists(path("results/304")));
    EXPECT_EQ(nlohmann::json::parse(build::read_file(path("results/302/results.json"))).at("score"), 10);

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
    const auto said = class_command({"grade", path("other"), "--layout", "canvas", "--unsafe"});
    EXPECT_EQ(said.ended.exit_code, 0) << said.output;
    EXPECT_NE(said.output.find("1 student (Canvas): 1 new"), std::string::npos) << said.output;
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
