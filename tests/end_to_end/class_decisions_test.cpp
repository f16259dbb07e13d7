// What an instructor says and decides about a class: times, marks, attempts, another class.toml.
#include "class_command.hpp"

#include "gradebook/database.hpp"

#include <filesystem>

namespace headway {
namespace {

TEST_F(ClassCommand, ATimeThatComesLaterSettlesAnOpenMark) {
    folder_.write("class.toml", "deadline = 2020-05-01T12:00:00Z\n[groups]\nteam = ['301', '310']\n");
    folder_.write("misspelt.csv", "id,time\n301,2020-05-02T11:00:00Z\n3O2,2020-05-01T11:00:00Z\n");
    folder_.write("times.csv", "id,time\n301,2020-05-02T11:00:00Z\n302,2020-05-01T11:00:00Z\n");
    const auto refused = class_command({"grade", path("class"), "--unsafe", "--times", path("misspelt.csv")});
    EXPECT_EQ(refused.ended.exit_code, 2) << refused.output;
    EXPECT_NE(refused.output.find("nor in the gradebook: 3O2"), std::string::npos) << refused.output;

    folder_.write("future.csv", "id,time\n301,9020-05-02T11:00:00Z\n");
    const auto in_the_future = class_command({"grade", path("class"), "--unsafe", "--times", path("future.csv")});
    EXPECT_EQ(in_the_future.ended.exit_code, 2) << in_the_future.output;
    EXPECT_TRUE(says(in_the_future, "line 2: 9020-05-02T11:00:00Z has not come yet")) << in_the_future.output;

    const auto open = grade();
    EXPECT_NE(open.output.find("Open, because nobody knows when it was handed in"), std::string::npos) << open.output;
    EXPECT_NE(open.output.find("1 student who handed in nothing: 310"), std::string::npos) << open.output;
    const auto exported = class_command({"export", "csv", path("marks.csv")});
    EXPECT_EQ(exported.ended.exit_code, 1);
    EXPECT_NE(exported.output.find("no mark, and no zero, for 301, 302, 310"), std::string::npos) << exported.output;
    EXPECT_NE(build::read_file(path("marks.csv")).find("\r\n302,,"), std::string::npos);

    folder_.write(
        "worksheet.csv",
        "Identifier,Full name,Last modified (submission)\n"
        "Participant 301,Ada,\"Saturday, 2 May 2020, 1:00 PM\"\nParticipant 309,Eve,\"1 May 2020, 1:00 PM\"\n");
    EXPECT_TRUE(says(class_command({"times", path("worksheet.csv")}), "--zone Europe/Berlin"));
    EXPECT_TRUE(says(class_command({"times", path("worksheet.csv"), "--zone", "Berlin"}), "no time zone Berlin"));
    EXPECT_TRUE(says(class_command({"times", path("times.csv"), "--zone", "UTC"}), "is for Moodle's"));
    const auto moodles = class_command({"times", path("worksheet.csv"), "--zone", "+02:00"});
    EXPECT_TRUE(says(moodles, "1 of 1 time new or changed: 301")) << moodles.output;
    EXPECT_TRUE(says(moodles, "without a hand-in here: 309")) << moodles.output;
    EXPECT_TRUE(says(class_command({"attempts", "301"}), "2020-05-02 11:00"));
    const auto graded =
        class_command({"grade", path("class"), "--unsafe", "--times", path("worksheet.csv"), "--zone", "+02:00"});
    EXPECT_TRUE(says(graded, "0 new, 4 unchanged")) << graded.output;

    EXPECT_EQ(class_command({"times", path("times.csv")}).ended.exit_code, 0);
    const auto again = class_command({"grade", path("class"), "--unsafe", "--times", path("times.csv")});
    EXPECT_NE(again.output.find("0 new, 4 unchanged"), std::string::npos) << again.output;
    class_command({"export", "csv", path("marks.csv")});
    const std::string marks = build::read_file(path("marks.csv"));
    EXPECT_NE(marks.find("\r\n301,9,"), std::string::npos) << marks;
    EXPECT_NE(marks.find("\r\n302,10,"), std::string::npos) << marks;
    EXPECT_NE(marks.find("no hand-in of their own"), std::string::npos) << marks;
}

TEST_F(ClassCommand, AnEarlierAttemptGetsItsTimeByItself) {
    folder_.write("class.toml", "deadline = 2020-05-01T12:00:00Z\n");
    folder_.write("times.csv", "301,2020-05-04T11:00:00Z\n302,2020-05-01T11:00:00Z\n");
    grade();
    hand_in("301", solution("04_merge_heads/merge_heads.cpp") + "// again\n");
    grade();
    const auto said = class_command({"times", path("times.csv")});
    EXPECT_EQ(said.ended.exit_code, 1) << "301's first attempt may be the better one";
    EXPECT_TRUE(says(said, "class set-time ID ATTEMPT TIME")) << said.output;
    const auto decide = [&](std::vector<std::string> what) {
        what.insert(what.end(), {"--author", "prof", "--reason", "by e-mail"});
        return class_command(std::move(what));
    };
    const auto set = decide({"set-time", "301", "1", "2020-05-02T13:00:00+02:00"});
    EXPECT_EQ(set.ended.exit_code, 0) << set.output;
    EXPECT_TRUE(says(set, "Attempt 1 of 301: handed in at 2020-05-02T11:00:00Z")) << set.output;
    EXPECT_TRUE(says(set, "301: now 9 of")) << set.output;
    EXPECT_TRUE(says(class_command({"attempts", "301"}), "by e-mail (prof)"));
    EXPECT_TRUE(says(decide({"unset-time", "301", "1"}), "The mark is still open"));
    EXPECT_TRUE(says(decide({"unset-time", "301", "1"}), "nothing to undo"));
    EXPECT_TRUE(says(decide({"set-time", "301", "2", "2020-05-01T12:00Z"}), "301 has no attempt 2"));
    EXPECT_EQ(decide({"set-time", "301", "1", "2020-02-31T12:00Z"}).ended.exit_code, 2);
    EXPECT_TRUE(says(decide({"set-time", "301", "1", "2999-01-01T12:00Z"}), "cannot have been handed in later"));
}

TEST_F(ClassCommand, DecisionsHaveReasonsAndAreUndone) {
    grade();
    const auto decide = [&](std::vector<std::string> what) {
        what.insert(what.end(), {"--author", "prof", "--reason", "copied"});
        return class_command(std::move(what));
    };
    const auto has = [&](const char* row) {
        class_command({"export", "csv", path("marks.csv")});
        return build::read_file(path("marks.csv")).find(std::string("\r\n") + row) != std::string::npos;
    };
    EXPECT_EQ(decide({"remove", "301", "1"}).ended.exit_code, 0);
    EXPECT_TRUE(has("301,0,"));
    EXPECT_EQ(decide({"remove", "301", "2"}).ended.exit_code, 2) << "that is 302's";
    EXPECT_NE(class_command({"attempts", "301"}).output.find("removed: copied (prof)"), std::string::npos);
    EXPECT_EQ(decide({"restore", "301", "1"}).ended.exit_code, 0);
    class_command({"export", "gradescope", path("results")});
    EXPECT_TRUE(std::filesystem::exists(path("results/302/results.json")));
    EXPECT_EQ(decide({"remove", "302"}).ended.exit_code, 0);
    EXPECT_TRUE(has("301,10,"));
    EXPECT_FALSE(has("302,"));
    EXPECT_TRUE(says(class_command({"export", "gradescope", path("results")}), "1 file of students who have none"));
    EXPECT_FALSE(std::filesystem::exists(path("results/302")));
    EXPECT_EQ(decide({"pin", "301", "1", "04"}).ended.exit_code, 0);
    EXPECT_EQ(decide({"unpin", "301"}).ended.exit_code, 0);

    const auto floor = decide({"adjust", "301", "04", "--points", "-99"});
    EXPECT_NE(floor.output.find("now 0 of 10 points"), std::string::npos) << floor.output;
    EXPECT_NE(floor.output.find("89 points of the adjustment have no effect"), std::string::npos) << floor.output;
    EXPECT_EQ(decide({"adjust", "301", "04", "--set", "7"}).ended.exit_code, 0);
    EXPECT_TRUE(has("301,7,"));
    EXPECT_EQ(decide({"adjust", "301", "04", "--points", "1"}).ended.exit_code, 2) << "it is set";
    EXPECT_EQ(decide({"adjust", "301", "04", "--unset"}).ended.exit_code, 0);
    EXPECT_TRUE(has("301,0,"));

    EXPECT_EQ(class_command({"forget", "301"}).ended.exit_code, 1) << "it asks first";
    EXPECT_EQ(class_command({"forget", "301", "--yes"}).ended.exit_code, 0);
    EXPECT_FALSE(has("301,"));
}

TEST_F(ClassCommand, ARegradeIsUndoneAndCopiesAreKept) {
    grade();
    EXPECT_EQ(class_command({"regrade", "--undo"}).ended.exit_code, 2);
    folder_.write("class.toml", "[exercises.04]\npoints = 20\n[groups]\nteam = ['301', '310']\n");
    EXPECT_NE(class_command({"report", path("report")}).output.find("class.toml has changed"), std::string::npos);
    const auto applied = class_command({"regrade", "--yes"});
    EXPECT_NE(applied.output.find("310: 0.00 -> 20.00"), std::string::npos) << applied.output;
    EXPECT_TRUE(std::filesystem::exists(path("gradebook.sqlite.before-regrade-2")));
    const auto undone = class_command({"regrade", "--undo", "--yes"});
    EXPECT_NE(undone.output.find("20.00 -> 10.00"), std::string::npos) << undone.output;
    const auto exported = class_command({"export", "csv", path("marks.csv")});
    EXPECT_NE(exported.output.find("class.toml has changed"), std::string::npos) << exported.output;
    EXPECT_NE(build::read_file(path("marks.csv")).find("\r\n301,10,"), std::string::npos);

    build::write_file(desk_.folder() / "policy.toml", "[worker]\ncall_cpu_seconds = 4\n");
    EXPECT_NE(grade().output.find("limits of policy.toml"), std::string::npos);
}

TEST_F(ClassCommand, AnExerciseThatIsNewInTheCourseCountsOnlyAfterARegrade) {
    grade();
    gradebook::Database(path("gradebook.sqlite"), gradebook::Access::read_write)
        .execute("DELETE FROM suite WHERE exercise LIKE '11%'");  // as an earlier Headway wrote it
    const auto marks = [&] {
        class_command({"export", "csv", path("marks.csv")});
        return build::read_file(path("marks.csv"));
    };
    EXPECT_EQ(marks().find("11_long_texts"), std::string::npos);
    EXPECT_TRUE(says(grade(), "class regrade"));
    EXPECT_TRUE(says(class_command({"adjust", "301", "11", "--set", "7", "--author", "prof", "--reason", "oral"}),
                     "is new in the course"));
    const auto regraded = class_command({"regrade", "--yes"});
    EXPECT_TRUE(says(regraded, "11_long_texts counts now: 10 points")) << regraded.output;
    EXPECT_TRUE(says(regraded, "0 marks change")) << regraded.output;
    EXPECT_NE(marks().find("11_long_texts"), std::string::npos);
    EXPECT_TRUE(says(class_command({"regrade", "--undo", "--yes"}), "11_long_texts counts no more: 10 points"));
    EXPECT_EQ(class_command({"report", path("report")}).ended.exit_code, 0);
}

}  // namespace
}  // namespace headway
