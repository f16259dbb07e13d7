// The commands around a student's own work, besides grading it.
#include "headway.hpp"

#include "submission/digest.hpp"
#include "verify/mutants.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

namespace fs = std::filesystem;

constexpr const char* stub = "04_merge_heads/merge_heads.cpp";

TEST(Reset, BringsTheStubBackAndKeepsEverythingWithADate) {
    CourseCopy copy;
    copy.write(stub, "// my work\n");
    copy.write("04_merge_heads/more/mine.hpp", "// more of it\n");
    const auto reset = copy.headway({"reset", "04"});
    EXPECT_EQ(reset.ended.exit_code, 0) << reset.output;
    EXPECT_EQ(copy.read(std::string("exercises/") + stub), copy.read(std::string("stubs/") + stub));
    EXPECT_FALSE(fs::exists(copy.root() / "exercises/04_merge_heads/more/mine.hpp"));
    EXPECT_TRUE(fs::exists(copy.root() / "exercises/04_merge_heads/visible_test.cpp"));
    const fs::path backup = fs::directory_iterator(copy.root() / "backups/04_merge_heads")->path();
    EXPECT_EQ(build::read_file(backup / "merge_heads.cpp"), "// my work\n");
    EXPECT_EQ(build::read_file(backup / "more/mine.hpp"), "// more of it\n");
    EXPECT_TRUE(says(reset, "backups/04_merge_heads/" + backup.filename().string()));
}

TEST(Reset, IsUndoneWithoutLosingWhatCameAfterIt) {
    CourseCopy copy;
    EXPECT_EQ(copy.headway({"reset", "04", "--undo"}).ended.exit_code, 2) << "there is nothing to bring back";
    copy.write(stub, "// my work\n");
    copy.write("04_merge_heads/more/mine.hpp", "// more of it\n");
    copy.headway({"reset", "04"});
    copy.write(stub, "// another try\n");
    const auto undone = copy.headway({"reset", "04", "--undo"});
    EXPECT_EQ(undone.ended.exit_code, 0) << undone.output;
    EXPECT_EQ(copy.read(std::string("exercises/") + stub), "// my work\n");
    EXPECT_EQ(copy.read("exercises/04_merge_heads/more/mine.hpp"), "// more of it\n");
    copy.headway({"reset", "04", "--undo"});
    EXPECT_EQ(copy.read(std::string("exercises/") + stub), "// another try\n");
}

TEST(Reset, TakesTheTickAway) {
    CourseCopy copy;
    copy.write(stub, solution(stub));
    EXPECT_TRUE(says(copy.headway({"grade", "04"}), "next: ./headway lesson 01")) << "01 is not written yet";
    EXPECT_TRUE(says(copy.headway({}), "✓ 04"));
    copy.headway({"reset", "04"});
    EXPECT_TRUE(says(copy.headway({}), "○ 04"));
}

TEST(Reset, OfAStubDoesNothing) {
    const CourseCopy copy;
    const auto reset = copy.headway({"reset", "04"});
    EXPECT_EQ(reset.ended.exit_code, 0);
    EXPECT_TRUE(says(reset, "nothing to reset"));
    EXPECT_FALSE(fs::exists(copy.root() / "backups"));
}

TEST(Reset, UndoneStandsWhereItStood) {
    CourseCopy copy;
    copy.write(stub, solution(stub));
    copy.headway({"grade", "04"});
    copy.headway({"reset", "04"});
    EXPECT_FALSE(says(copy.headway({}), "10 of "));
    copy.headway({"reset", "04", "--undo"});
    EXPECT_TRUE(says(copy.headway({}), "10 of 140 points"));
    EXPECT_TRUE(says(copy.headway({"hint", "04"}), "there is nothing to mend"));
    EXPECT_TRUE(says(copy.headway({"hint", "04", "--level", "1"}), "hint 1 of 3"));
}

TEST(Reset, BringsADeletedFileBack) {
    const CourseCopy copy;
    fs::remove_all(copy.root() / "exercises" / "04_merge_heads" / "merge_heads.cpp");
    EXPECT_EQ(copy.headway({"reset", "4"}).ended.exit_code, 0);
    EXPECT_EQ(copy.read(std::string("exercises/") + stub), copy.read(std::string("stubs/") + stub));
}

TEST(Diff, ShowsTheSolutionOnlyToWhoHasPassedOrGivesUp) {
    CourseCopy copy;
    const auto early = copy.headway({"diff", "04"});
    EXPECT_EQ(early.ended.exit_code, 1);
    EXPECT_TRUE(says(early, "--reveal"));
    EXPECT_EQ(early.output.find("matmul"), std::string::npos) << "the solution leaks";
    const auto revealed = copy.headway({"diff", "04", "--reveal"});
    EXPECT_EQ(revealed.ended.exit_code, 0);
    EXPECT_TRUE(says(revealed, "-    throw NotImplemented"));
    copy.write(stub, "// mine\n" + solution(stub));
    const auto passed = copy.headway({"diff", "04"});
    EXPECT_EQ(passed.ended.exit_code, 0) << passed.output;
    EXPECT_TRUE(says(passed, "-// mine"));
}

TEST(Others, AreShownOnlyToThosePassingOrGivingUp) {
    CourseCopy copy;
    const std::string loops = "plain loops with checked access from projection to output";
    const auto early = copy.headway({"others", "04"});
    EXPECT_EQ(early.ended.exit_code, 1);
    EXPECT_TRUE(says(early, "--reveal"));
    EXPECT_EQ(early.output.find("merge_heads.hpp"), std::string::npos) << "a solution leaks";
    copy.write(stub, solution(stub));
    for (const auto& shown : {copy.headway({"others", "04"}), copy.headway({"others", "04", "--reveal"})}) {
        EXPECT_EQ(shown.ended.exit_code, 0) << shown.output;
        std::size_t programs = 0;
        for (std::size_t at = 0; (at = shown.output.find("#include \"merge_heads.hpp\"", at)) != std::string::npos;
             ++at)
            ++programs;
        EXPECT_EQ(programs, 2U);
        const std::size_t rest = shown.output.find("Right as well");
        EXPECT_LT(shown.output.find("per_head_sum_through_w_o"), rest) << "the first of accepted.toml";
        EXPECT_GT(shown.output.find("nested_loops"), rest);
    }
}

TEST(Pack, HoldsWhatWasWrittenAndNothingElse) {
    CourseCopy copy;
    copy.write(stub, solution(stub));
    copy.write("04_merge_heads/mine.hpp", "// a header of my own\n");
    copy.write("04_merge_heads/notes.txt", "remember the milk\n");
    const auto pack = copy.headway({"pack"});
    EXPECT_EQ(pack.ended.exit_code, 0) << pack.output;
    EXPECT_TRUE(says(pack, "04_merge_heads/merge_heads.cpp"));
    EXPECT_TRUE(says(pack, "notes.txt"));
    EXPECT_TRUE(says(pack, "nothing written: left out"));
    sandbox::Command list;
    list.arguments = {"/usr/bin/tar", "-tzf", (copy.root() / "headway-submission.tar.gz").string()};
    EXPECT_EQ(
        sandbox::run(sandbox::trusted(list, sandbox::Trusted::tests_of_headway), std::chrono::seconds(10), 4096).output,
        "04_merge_heads/merge_heads.cpp\n04_merge_heads/mine.hpp\n");
}

TEST(Pack, IsWhatGradeTakes) {
    CourseCopy copy;
    copy.write(stub, solution(stub));
    copy.headway({"pack", "04", "--output", "mine.tar.gz"});
    fs::create_directory(copy.root() / "unpacked");
    sandbox::Command unpack;
    unpack.arguments = {"/usr/bin/tar", "-xzf", (copy.root() / "mine.tar.gz").string()};
    unpack.directory = copy.root() / "unpacked";
    unpack.environment = {"PATH=/usr/bin:/bin"};
    ASSERT_TRUE(
        sandbox::run(sandbox::trusted(unpack, sandbox::Trusted::tests_of_headway), std::chrono::seconds(10), 4096)
            .ended.success());
    const auto graded = copy.headway({"grade", "04", "--submission", "unpacked"});
    EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
    EXPECT_TRUE(says(copy.headway({"pack", "04"}), "not graded as it is now"));
    copy.headway({"grade", "04"});
    EXPECT_TRUE(says(copy.headway({"pack", "04"}), "points"));
}

TEST(Pack, WritesWhatTheNameOfTheArchiveSays) {
    CourseCopy copy;
    copy.write(stub, solution(stub));
    for (const std::string archive : {"mine.zip", "mine.ZIP", "mine.tgz"}) {
        const auto pack = copy.headway({"pack", "--output", archive});
        EXPECT_EQ(pack.ended.exit_code, 0) << pack.output;
        EXPECT_EQ(build::read_file(copy.root() / archive).starts_with("PK"), archive != "mine.tgz");
        const auto graded = copy.headway({"grade", "04", "--submission", archive});
        EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
    }
    const auto refused = copy.headway({"pack", "--output", "mine.rar"});
    EXPECT_EQ(refused.ended.exit_code, 2);
    EXPECT_TRUE(says(refused, "must end in .tar.gz, .tgz or .zip"));
    EXPECT_FALSE(fs::exists(copy.root() / "mine.rar"));
}

TEST(Pack, OfNothingWritesNoArchive) {
    const CourseCopy copy;
    const auto pack = copy.headway({"pack"});
    EXPECT_EQ(pack.ended.exit_code, 1);
    EXPECT_TRUE(says(pack, "nothing to hand in"));
    EXPECT_FALSE(fs::exists(copy.root() / "headway-submission.tar.gz"));
}

TEST(Pack, WithoutAPlaceToWriteSaysSo) {
    CourseCopy copy;
    copy.write(stub, solution(stub));
    const auto pack = copy.headway({"pack", "--output", "no/such/folder/mine.tar.gz"});
    EXPECT_EQ(pack.ended.exit_code, 2);
    EXPECT_TRUE(says(pack, "there is no folder"));
}

/// Scores that are not scaled, in an exercise that is right otherwise.
std::string without_scale() {
    return "#define attention_scores right_scores\n" + solution("03_scaled_scores/scaled_scores.cpp") +
           "\n#undef attention_scores\nnamespace headway::ex03 { Tensor attention_scores(const Tensor& q, const "
           "Tensor& k);\nTensor attention_scores(const Tensor& q, const Tensor& k) {\n    return right_scores(q, k) * "
           "1.5F;\n} }\n";
}

TEST(Debug, ReplaysTheCallThatFailed) {
    CourseCopy copy;
    copy.write("03_scaled_scores/scaled_scores.cpp", without_scale());
    const auto debug = copy.headway({"debug", "03", "--print"});
    EXPECT_EQ(debug.ended.exit_code, 0) << debug.output;
    EXPECT_TRUE(says(debug, "ScoresAreDividedBySqrtHeadDim"));
    EXPECT_TRUE(says(debug, "break attention_scores"));
    const std::string by_hand = debug.output.substr(debug.output.rfind("  /"));
    sandbox::Command replay;
    replay.arguments = {"/bin/sh", "-c", by_hand};
    EXPECT_TRUE(says(
        sandbox::run(sandbox::trusted(replay, sandbox::Trusted::tests_of_headway), std::chrono::seconds(60), 65536),
        "attention_scores(q: a tensor"));
}

TEST(Debug, WritesATestThatFailsUntilTheCodeIsRight) {
    CourseCopy copy;
    copy.write("03_scaled_scores/scaled_scores.cpp", without_scale());
    const auto debug = copy.headway({"debug", "03", "--as-test"});
    EXPECT_EQ(debug.ended.exit_code, 0) << debug.output;
    EXPECT_TRUE(fs::exists(copy.root() / "exercises/03_scaled_scores/replay_ScoresAreDividedBySqrtHeadDim.cpp"));
    const auto wrong = copy.headway({"try", "03"});
    EXPECT_NE(wrong.ended.exit_code, 0);
    EXPECT_TRUE(says(wrong, "[  FAILED  ] Replay.ScoresAreDividedBySqrtHeadDim"));
    copy.write("03_scaled_scores/scaled_scores.cpp", solution("03_scaled_scores/scaled_scores.cpp"));
    const auto right = copy.headway({"try", "03"});
    EXPECT_EQ(right.ended.exit_code, 0) << right.output;
    EXPECT_TRUE(says(right, "Replay.ScoresAreDividedBySqrtHeadDim"));
    EXPECT_EQ(copy.headway({"grade", "03"}).ended.exit_code, 0) << "the replay counts as part of the submission";
}

/// A mutant's file in the place of the student's.
std::string mutant(const std::string& exercise, const std::string& name, const std::string& file) {
    const cli::Mutants mutants(HEADWAY_SOURCE_DIR, exercise);
    return mutants.program(mutants.find(name)).at(file);
}

TEST(Verify, ShowsAMutantAndExpandsAll) {
    const Desk desk;
    const std::string program = mutant("04_merge_heads", "keys_projected_with_w_q", "merge_heads.cpp");
    EXPECT_EQ(desk.headway({"verify", "--show", "04", "keys_projected_with_w_q"}).output, program);
    const auto unknown = desk.headway({"verify", "--show", "04", "no_such"});
    EXPECT_EQ(unknown.ended.exit_code, 2);
    EXPECT_TRUE(says(unknown, "there is no mutant no_such"));
    const fs::path folder = desk.folder() / "expanded";
    EXPECT_EQ(desk.headway({"verify", "--expand", folder.string(), "04"}).ended.exit_code, 0);
    const fs::path submission = folder / "04_merge_heads/keys_projected_with_w_q";
    EXPECT_EQ(build::read_file(submission / "04_merge_heads/merge_heads.cpp"), program);
    EXPECT_NE(build::read_file(submission / "mutant.toml").find("diagnosis"), std::string::npos);
}

TEST(Debug, WritesTheCallThatFailedNotWhatWasAskedToJudgeIt) {
    CourseCopy copy;
    copy.write(stub, mutant("04_merge_heads", "keys_projected_with_w_q", "merge_heads.cpp"));
    const auto debug = copy.headway({"debug", "04", "--as-test"});
    EXPECT_EQ(debug.ended.exit_code, 0) << debug.output;
    EXPECT_TRUE(says(copy.headway({"try", "04"}), "[  FAILED  ] Replay."));
    copy.write(stub, solution(stub));
    EXPECT_EQ(copy.headway({"try", "04"}).ended.exit_code, 0);
}

TEST(Tick, SaysWhichWrongFunctionItRestsOn) {
    CourseCopy copy;
    copy.write("01_single_head/single_head.cpp", mutant("01_single_head", "softmax_base_two", "single_head.cpp"));
    EXPECT_TRUE(says(copy.headway({"grade", "01", "--verbose"}), "right, given your"));
}

TEST(Debug, WritesATestOfAMaskToo) {
    CourseCopy copy;
    const std::string file = "03_scaled_scores/scaled_scores.cpp";
    std::string wrong = solution(file);
    const std::string name = "Mask causal_mask(";
    ASSERT_NE(wrong.find(name), std::string::npos);
    wrong.replace(wrong.find(name), name.size(), "Mask right_causal_mask(");
    wrong +=
        "\nnamespace headway::ex03 {\nMask causal_mask(Index T, Index S) { return !right_causal_mask(T, S); }\n}\n";
    copy.write(file, wrong);
    const auto debug = copy.headway({"debug", "03", "--as-test"});
    EXPECT_EQ(debug.ended.exit_code, 0) << debug.output;
    EXPECT_TRUE(says(copy.headway({"try", "03"}), "[  FAILED  ] Replay."));
    copy.write(file, solution(file));
    EXPECT_EQ(copy.headway({"try", "03"}).ended.exit_code, 0);
}

TEST(Debug, WritesNoTestThatMightPassAllTheSame) {
    CourseCopy copy;
    const std::string file = "02_head_splitting/head_splitting.cpp";
    std::string copies = solution(file);
    const std::string name = "Tensor transpose(";
    ASSERT_NE(copies.find(name), std::string::npos);
    copies.replace(copies.find(name), name.size(), "Tensor right_transpose(");
    copies +=
        "\nnamespace headway::ex02 {\nTensor transpose(const Tensor& x, Index axis0, Index axis1) {\n"
        "    return right_transpose(x, axis0, axis1).clone();\n}\n}\n";
    copy.write(file, copies);
    const auto debug = copy.headway({"debug", "02", "--as-test"});
    EXPECT_EQ(debug.ended.exit_code, 2) << debug.output;
    EXPECT_TRUE(says(debug, "no number that the call returns"));
}

TEST(Debug, OfATestThatDoesNotFailNamesThoseThatDo) {
    CourseCopy copy;
    copy.write("03_scaled_scores/scaled_scores.cpp", without_scale());
    const auto debug = copy.headway({"debug", "03", "--test", "NoSuchTest"});
    EXPECT_EQ(debug.ended.exit_code, 2);
    EXPECT_TRUE(says(debug, "ScoresAreDividedBySqrtHeadDim"));
}

TEST(Debug, KeepsInputsThatThePolicyWithholds) {
    CourseCopy copy;
    copy.write("03_scaled_scores/scaled_scores.cpp", without_scale());
    fs::remove(copy.root() / "policy.toml");
    build::write_file(copy.root() / "policy.toml", "tell = \"property\"\n");
    const auto debug = copy.headway({"debug", "03", "--as-test"});
    EXPECT_EQ(debug.ended.exit_code, 2);
    EXPECT_TRUE(says(debug, "policy"));
}

TEST(Command, ThatDoesNotExistLeadsToTheList) {
    const CourseCopy copy;
    const auto unknown = copy.headway({"foo"});
    EXPECT_EQ(unknown.ended.exit_code, 2);
    EXPECT_TRUE(says(unknown, "there is no command foo; ./headway --help lists them"));
    EXPECT_EQ(copy.headway({"--version"}).ended.exit_code, 0);
}

TEST(Html, ThatCannotBeWrittenCostsNoVerdict) {
    const CourseCopy copy;
    const auto graded = copy.headway({"grade", "01", "--html", "no/such/folder/verdict.html"});
    EXPECT_EQ(graded.ended.exit_code, 2);
    EXPECT_TRUE(says(graded, "not started"));
    EXPECT_TRUE(says(graded, "No such file or directory"));
}

TEST(Html, IsWrittenWithHeatmapsAndCoverage) {
    CourseCopy copy;
    copy.write("03_scaled_scores/scaled_scores.cpp",
               without_scale() + "void never_called() {\n    int x = 0;\n    (void)x;\n}\n");
    const auto graded = copy.headway({"grade", "03", "--html", "verdict.html"});
    EXPECT_EQ(graded.ended.exit_code, 1);
    const std::string page = copy.read("verdict.html");
    for (const char* told : {"yours at [", "never_called", "lines of scaled_scores.cpp"})
        EXPECT_NE(page.find(told), std::string::npos) << told;
}

TEST(Progress, IsKeptWithTheStudentsFilesAndJoinedByLines) {
    CourseCopy copy;
    copy.write(stub, solution(stub));
    copy.headway({"grade"});
    const std::string here = copy.read("exercises/progress.txt");
    EXPECT_NE(here.find("04_merge_heads passed 10 / 10"), std::string::npos) << here;
    EXPECT_EQ(here.find("not_started"), std::string::npos);
    copy.headway({"grade"});
    EXPECT_EQ(copy.read("exercises/progress.txt"), here) << "nothing has changed, so nothing is added";
    // Another machine's lines, joined in any order, with what a careless merge leaves.
    build::write_file(copy.root() / "exercises/progress.txt",
                      "<<<<<<< ours\n2999-01-01T00:00:00Z 05_module failed 7 / 10\n=======\n" + here);
    const auto status = copy.headway({});
    EXPECT_TRUE(says(status, "17 of "));
}

}  // namespace
}  // namespace headway
