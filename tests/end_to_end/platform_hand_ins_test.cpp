// What Gradescope's autograder makes of hand-ins, and what each platform tells of every kind of them.
#include "ci_files.hpp"

namespace headway {
namespace {

TEST_F(Gradescope, GradesWhatTheBundleIsMadeFor) {
    const auto set_up = script("setup.sh");
    EXPECT_EQ(set_up.ended.exit_code, 0) << set_up.output;
    hand_in("04_merge_heads/merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    const auto graded = script("run_autograder");
    EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
    EXPECT_EQ(results().at("score"), 10);
}

/// See tests/unit/intake/platform_exports_test.cpp for all the forms of which these are some.
TEST_F(Gradescope, TakesWhatAClassMayHandIn) {
    const std::string right = solution("04_merge_heads/merge_heads.cpp");
    for (const char* file : {"merge_heads (1).cpp", "hw1/exercises/04_merge_heads/merge_heads.cpp"}) {
        hand_in(file, right);
        const auto graded = script("run_autograder");
        EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
        EXPECT_EQ(results().at("score"), 10) << file;
    }
}

TEST_F(Gradescope, TakesWhatPackMakes) {
    CourseCopy student;
    student.write("04_merge_heads/merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    for (const std::string archive : {"mine.zip", "mine.tar.gz"}) {
        const auto packed = student.headway({"pack", "--output", (student.root() / archive).string()});
        ASSERT_EQ(packed.ended.exit_code, 0) << packed.output;
        const std::string bytes = build::read_file(student.root() / archive);
        EXPECT_EQ(bytes.starts_with("PK"), archive.ends_with(".zip"));
        hand_in(archive, bytes);
        const auto graded = script("run_autograder");
        EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
        EXPECT_EQ(results().at("score"), 10) << archive;
    }
}

TEST_F(Gradescope, SaysWhatToHandInWhereThereIsNothingToGrade) {
    const auto empty = script("run_autograder");
    EXPECT_EQ(empty.ended.exit_code, 0) << empty.output;
    EXPECT_EQ(results().at("score"), 0);
    EXPECT_NE(results().at("output").get<std::string>().find("what was handed in is empty. Hand in"), std::string::npos)
        << results();
    hand_in("work.7z", "7z");
    EXPECT_EQ(script("run_autograder").ended.exit_code, 0);
    EXPECT_NE(results().at("output").get<std::string>().find("work.7z is an archive of a kind"), std::string::npos);
}

TEST_F(Gradescope, GivesNoScoreWhereTheMachineFails) {
    hand_in("merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    program("autograder/source/headway", "#!/bin/sh\nexit 3\n");
    EXPECT_EQ(script("run_autograder").ended.exit_code, 3);
    EXPECT_FALSE(results().contains("score"));
    EXPECT_NE(results().at("output").get<std::string>().find("not at fault"), std::string::npos);
}

TEST_F(Gradescope, ClosesTheFolderOfResultsToOtherUsers) {
    fs::create_directories(path("autograder/results"));
    fs::permissions(path("autograder/results"), fs::perms::all);
    program("autograder/source/headway", "#!/bin/sh\nexit 3\n");
    script("run_autograder");
    EXPECT_EQ(fs::status(path("autograder/results")).permissions(), fs::perms::owner_all);
}

TEST_F(Gradescope, CountsAndShowsTestsAsTheInstructorChose) {
    folder_.write("autograder/source/class.toml", "[exercises.04]\npoints = 25\n");
    folder_.write("autograder/source/visible", "after_due_date\n");
    hand_in("merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    const auto graded = script("run_autograder");
    EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
    const nlohmann::json shown = results();
    EXPECT_EQ(shown.at("score"), 25);
    double most = 0;
    for (const auto& test : shown.at("tests")) {
        most += test.at("max_score").get<double>();
        EXPECT_EQ(test.at("visibility"), "after_due_date");
    }
    EXPECT_EQ(most, 25);
    folder_.write("autograder/source/class.toml", "[exercises.04]\npoints = \"many\"\n");
    EXPECT_EQ(script("run_autograder").ended.exit_code, 2) << "the instructor's mistake";
    EXPECT_FALSE(results().contains("score")) << "and no zero";
}

/// Something that a student may hand in, below `exercises/` of a repository or in Gradescope's `submission/`.
struct Kind {
    const char* name;
    const char* file;  ///< of the program; if `packed`, in that archive
    const char* packed = "";
    int line = 3;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class HandedIn : public Gradescope, public testing::WithParamInterface<Kind> {
protected:
    void lay_out(const std::string& folder) const {
        fs::remove_all(path(folder));
        const Kind& kind = GetParam();
        if (*kind.packed == '\0') {
            folder_.write(folder + "/" + kind.file, does_not_compile);
            return;
        }
        folder_.write(std::string("packed/") + kind.file, does_not_compile);
        folder_.write(folder + "/README.md", "");
        const bool is_zip = std::string(kind.packed).ends_with(".zip");
        const auto packed = run("cd '" + path("packed") + "' && cmake -E tar " + (is_zip ? "cf" : "czf") + " '" +
                                path(folder) + "/" + kind.packed + "'" + (is_zip ? " --format=zip ." : " ."));
        ASSERT_EQ(packed.ended.exit_code, 0) << packed.output;
    }
    std::string shown() const {
        return std::string("exercises/") + (*GetParam().packed != '\0' ? GetParam().packed : GetParam().file);
    }
};

TEST_P(HandedIn, IsToldByEachPlatformUnderTheNameThatTheStudentKnows) {
    lay_out("repository/exercises");
    const auto on_github = github();
    EXPECT_EQ(on_github.ended.exit_code, 1) << on_github.output;
    EXPECT_NE(on_github.output.find("::error file=" + shown() + ",line=" + std::to_string(GetParam().line) + ","),
              std::string::npos)
        << on_github.output;
    EXPECT_EQ(points_for_classroom().at("max_score"), 10);
    EXPECT_EQ(points_for_classroom().at("tests").at(0).at("score"), 0);

    EXPECT_EQ(gitlab().ended.exit_code, 1);
    const nlohmann::json location = nlohmann::json::parse(gitlab_report("codequality")).at(0).at("location");
    EXPECT_EQ(location.at("path"), shown());
    EXPECT_EQ(location.at("lines").at("begin"), GetParam().line);

    lay_out("autograder/submission");
    EXPECT_EQ(script("run_autograder").ended.exit_code, 0);
    EXPECT_EQ(results().at("score"), 0);
    EXPECT_EQ(results().at("tests").at(0).at("name"), "04 builds");
}

INSTANTIATE_TEST_SUITE_P(Kinds, HandedIn,
                         testing::Values(Kind{"a_file", "merge_heads.cpp"}, Kind{"cc", "merge_heads.cc"},
                                         Kind{"a_folder", "04_merge_heads/merge_heads.cpp"},
                                         Kind{"wrapped", "hw1/exercises/04_merge_heads/merge_heads.cpp"},
                                         Kind{"zip", "04_merge_heads/merge_heads.cpp", "hw1.zip", 1},
                                         Kind{"tar_gz", "merge_heads.cpp", "hw1.tar.gz", 1}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace headway
