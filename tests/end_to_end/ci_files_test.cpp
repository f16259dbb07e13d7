// The files for GitHub and GitLab, and how Gradescope's bundle is made.
#include "ci_files.hpp"

namespace headway {
namespace {

TEST_F(CiFiles, GithubActions) {
    const auto graded = github();
    EXPECT_EQ(graded.ended.exit_code, 1) << graded.output;
    EXPECT_NE(graded.output.find("::error file=exercises/04_merge_heads/merge_heads.cpp,line=1,"), std::string::npos)
        << graded.output;
    EXPECT_NE(build::read_file(path("summary.md")).find("| failed |"), std::string::npos);
    EXPECT_TRUE(fs::exists(path("repository/verdict.json")) && fs::exists(path("repository/verdict.xml")));
}

TEST_F(CiFiles, GitlabCi) {
    const auto graded = gitlab();
    EXPECT_EQ(graded.ended.exit_code, 1) << graded.output;
    EXPECT_NE(gitlab_report("junit").find("<testsuites"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(gitlab_report("codequality")).size(), 1);
}

TEST_F(CiFiles, ClassroomGetsAllPointsOfARightProgram) {
    folder_.write("repository/exercises/04_merge_heads/merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    const auto graded = github();
    EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
    EXPECT_EQ(graded.output.find("::error file"), std::string::npos);
    EXPECT_EQ(points_for_classroom().at("status"), "pass");
    EXPECT_EQ(points_for_classroom().at("max_score"), 10);
    EXPECT_EQ(points_for_classroom().at("tests").at(0).at("score"), 10);
    EXPECT_EQ(gitlab().ended.exit_code, 0);
    EXPECT_EQ(gitlab_report("codequality"), "[]\n");
}

/// The function's own line where numbers are wrong, and the loop's where one never ends.
TEST_F(CiFiles, WhatIsWrongIsToldAtItsLine) {
    const std::string line = "    return context.transpose(1, 2).contiguous().view({B, T, H * d});\n";
    const auto told_at = [&](const std::string& instead, const std::string& words) {
        std::string program = solution("04_merge_heads/merge_heads.cpp");
        program.replace(program.find(line), line.size(), instead);
        folder_.write("repository/exercises/04_merge_heads/merge_heads.cpp", program);
        const auto graded = github();
        EXPECT_EQ(graded.ended.exit_code, 1);
        const std::string place = "::error file=exercises/04_merge_heads/merge_heads.cpp,line=";
        EXPECT_NE(graded.output.find(place + std::to_string(line_of(program, words)) + ","), std::string::npos)
            << graded.output;
        EXPECT_EQ(graded.output.find(place + "1,"), std::string::npos) << graded.output;
        EXPECT_EQ(points_for_classroom().at("status"), "fail");
        fs::remove(path("output"));
    };
    told_at("    return context.contiguous().view({B, T, H * d});\n", "merge_heads(");
    told_at("    for (volatile int i = 0;; i = 1) {\n    }\n", "for (volatile");
}

/// No points are reported for what was never handed in, and no zero: the assignment is open.
TEST_F(CiFiles, ARepositoryWithoutExercisesIsToldSo) {
    fs::remove_all(path("repository/exercises"));
    folder_.write("repository/exercises/README.md", "");
    const auto graded = github();
    EXPECT_EQ(graded.ended.exit_code, 2);
    EXPECT_NE(graded.output.find("Hand in what ./headway pack makes"), std::string::npos) << graded.output;
    EXPECT_FALSE(fs::exists(path("output")));
    EXPECT_EQ(gitlab().ended.exit_code, 2);
}

/// The whole way, with a real edition: release_test.py.
TEST_F(CiFiles, TheGradescopeBundleIsMadeOfAStudentsEdition) {
    const std::string bundle = "'" + classroom + "/gradescope/bundle.sh' ";
    EXPECT_EQ(run(bundle + HEADWAY_SOURCE_DIR + " autograder.zip").ended.exit_code, 2);  // it has sources of tests
    program("edition/headway", launcher);
    program("edition/grader/compiled/headway-judge", "");
    const auto made = run(bundle + "'" + path("edition") + "' autograder.zip && cmake -E tar tf autograder.zip");
    EXPECT_EQ(made.ended.exit_code, 0) << made.output;
    for (const char* needed : {"setup.sh\n", "run_autograder\n", "headway\n", "grader/compiled/headway-judge\n"})
        EXPECT_NE(made.output.find(needed), std::string::npos) << needed;
    folder_.write("edition/build/default/grader.json", "");
    const auto used = run(bundle + "'" + path("edition") + "' autograder.zip");
    EXPECT_EQ(used.ended.exit_code, 2);
    EXPECT_NE(used.output.find("make a new one with ./headway release"), std::string::npos) << used.output;
}

}  // namespace
}  // namespace headway
