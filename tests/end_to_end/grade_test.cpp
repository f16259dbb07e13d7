// The command: exit status, documents, reuse, hints.
#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

const std::string root = HEADWAY_SOURCE_DIR;

TEST(Grade, SolutionsPassAndStubsAreNotStarted) {
    const Desk desk;
    // That each solution passes is for `verify` to say.
    const auto solutions = desk.headway({"grade", "02", "04", "--submission", root + "/solutions"});
    EXPECT_EQ(solutions.ended.exit_code, 0) << solutions.output;
    EXPECT_NE(solutions.output.find("20 of 20 points"), std::string::npos);
    namespace fs = std::filesystem;
    const auto exercises =
        static_cast<std::size_t>(std::distance(fs::directory_iterator(root + "/exercises"), fs::directory_iterator()));
    const auto stubs =
        desk.headway({"grade", "--submission", root + "/exercises", "--json", (desk.folder() / "v.json").string()});
    const auto verdict = verdict::from_json(nlohmann::json::parse(build::read_file(desk.folder() / "v.json")));
    EXPECT_EQ(verdict.exercises.size(), exercises);
    if (stubs.output.find("not started") != std::string::npos) {
        EXPECT_EQ(stubs.ended.exit_code, 1);
    }
}

TEST(Grade, AStubIsKnownWithoutACompilerAndSaysTheSameAsOneThatIsCompiled) {
    Desk desk;
    const std::string handed_out = build::read_file(root + "/stubs/02_head_splitting/head_splitting.cpp");
    desk.write("02_head_splitting/head_splitting.cpp", handed_out);
    const auto known = desk.grade("02");
    EXPECT_FALSE(known.jails) << "something was run";
    desk.write("02_head_splitting/head_splitting.cpp", handed_out + "// begun\n");
    const auto compiled = desk.grade("02");
    EXPECT_TRUE(compiled.jails);
    for (const auto& one : {known, compiled}) {
        EXPECT_EQ(one.state, verdict::State::not_started);
        EXPECT_EQ(one.points, 0);
        EXPECT_EQ(one.max_points, 10);
    }
    ASSERT_EQ(known.tests.size(), compiled.tests.size());
    for (std::size_t i = 0; i < known.tests.size(); ++i) {
        EXPECT_EQ(known.tests[i].name, compiled.tests[i].name);
        EXPECT_EQ(known.tests[i].property, compiled.tests[i].property);
        EXPECT_EQ(known.tests[i].max_points, compiled.tests[i].max_points);
        EXPECT_EQ(known.tests[i].state, compiled.tests[i].state);
    }
}

TEST(Grade, StandardOutputIsForOneDocumentAndNothingElse) {
    Desk desk;
    desk.write("02_head_splitting/head_splitting.cpp",
               build::read_file(root + "/stubs/02_head_splitting/head_splitting.cpp"));
    const std::string submission = desk.submission().string();
    const auto scores = desk.headway({"grade", "02", "--submission", submission, "--gradescope", "-"});
    EXPECT_TRUE(nlohmann::json::accept(scores.output)) << scores.output;
    const auto both = desk.headway({"grade", "02", "--submission", submission, "--gradescope", "-", "--json", "-"});
    EXPECT_EQ(both.ended.exit_code, 2);
    EXPECT_TRUE(says(both, "standard output (-) is for one document"));
}

TEST(Grade, UnchangedSourcesReuseTheResultAndSaySo) {
    Desk desk;
    desk.write("04_merge_heads/merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    EXPECT_FALSE(desk.grade("04").reused);
    const auto again = desk.grade("04");
    EXPECT_TRUE(again.reused);
    EXPECT_EQ(again.state, verdict::State::passed);
    desk.write("04_merge_heads/merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp") + "// changed\n");
    EXPECT_FALSE(desk.grade("04").reused);
}

TEST(Grade, ADamagedResultIsGradedAgain) {
    Desk desk;
    desk.write("04_merge_heads/merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    desk.grade("04");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(desk.folder() / "state"))
        if (entry.path().filename() == "result.json") build::write_file(entry.path(), "{\"damaged\":");
    const auto again = desk.grade("04");
    EXPECT_FALSE(again.reused);
    EXPECT_EQ(again.state, verdict::State::passed);
}

TEST(Grade, OneSeedGivesOneVerdict) {
    Desk desk;
    desk.write(
        "03_scaled_scores/scaled_scores.cpp",
        "#define attention_scores right_scores\n" + solution("03_scaled_scores/scaled_scores.cpp") +
            "\n#undef attention_scores\nnamespace headway::ex03 { Tensor attention_scores(const Tensor& q, const "
            "Tensor& k);\n"
            "Tensor attention_scores(const Tensor& q, const Tensor& k) { return right_scores(q, k) * 1.01f; } }\n");
    const auto first = desk.headway(
        {"grade", "03", "--submission", desk.submission().string(), "--again", "--seed", "5", "--json", "-"});
    const auto second = desk.headway(
        {"grade", "03", "--submission", desk.submission().string(), "--again", "--seed", "5", "--json", "-"});
    const auto worst = [](const sandbox::Finished& finished) {
        return verdict::from_json(nlohmann::json::parse(finished.output))
            .exercises.at(0)
            .tests.at(0)
            .failure->worst->yours;
    };
    EXPECT_EQ(worst(first), worst(second));
}

TEST(Grade, JUnitIsWritten) {
    Desk desk;
    desk.write("04_merge_heads/merge_heads.cpp", solution("04_merge_heads/merge_heads.cpp"));
    const auto finished = desk.headway({"grade", "04", "--submission", desk.submission().string(), "--junit", "-"});
    EXPECT_NE(finished.output.find("<testsuite"), std::string::npos);
    EXPECT_EQ(finished.ended.exit_code, 0);
}

TEST(Grade, SarifNamesTheFileThatWasHandedIn) {
    Desk desk;
    desk.write("04_merge_heads/merge_heads.cpp", "int broken(\n");
    const auto finished = desk.headway({"grade", "04", "--submission", desk.submission().string(), "--sarif", "-"});
    EXPECT_EQ(finished.ended.exit_code, 1);
    const auto document = nlohmann::json::parse(finished.output, nullptr, false);
    ASSERT_TRUE(document.is_object()) << finished.output;
    const auto& results = document.at("runs").at(0).at("results");
    ASSERT_EQ(results.size(), 1U) << finished.output;
    const auto& file = results.at(0).at("locations").at(0).at("physicalLocation").at("artifactLocation");
    EXPECT_TRUE(file.at("uri").get<std::string>().ends_with("04_merge_heads/merge_heads.cpp")) << finished.output;
}

TEST(Usage, MistakesAreStatus2WithASentence) {
    const Desk desk;
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"grade", "99"},
                                                      {"grade", "--submission", "/no/such/folder"},
                                                      {"frobnicate"},
                                                      {"hint"},
                                                      {"grade", "--seed", "many"},
                                                      {"grade", "--submission", "/tmp/.."},
                                                      {"grade", "01", "--submission", root + "/docs"}}) {
        const auto finished = desk.headway(arguments);
        EXPECT_EQ(finished.ended.exit_code, 2) << finished.output;
        EXPECT_FALSE(finished.output.empty());
    }
}

TEST(Usage, HelpHelps) {
    const Desk desk;
    const auto help = desk.headway({"--help"});
    EXPECT_EQ(help.ended.exit_code, 0);
    for (const char* command : {"grade", "lesson", "hint", "try", "verify", "doctor", "test"})
        EXPECT_NE(help.output.find(command), std::string::npos) << command;
}

TEST(Hints, GrowStrongerAndStopAtTheLast) {
    const Desk desk;
    EXPECT_NE(desk.headway({"hint", "03"}).output.find("hint 1 of 3"), std::string::npos);
    EXPECT_NE(desk.headway({"hint", "3"}).output.find("hint 2 of 3"), std::string::npos);
    EXPECT_NE(desk.headway({"hint", "03"}).output.find("hint 3 of 3"), std::string::npos);
    EXPECT_NE(desk.headway({"hint", "03"}).output.find("hint 3 of 3"), std::string::npos);
    EXPECT_NE(desk.headway({"hint", "03", "--level", "1"}).output.find("hint 1 of 3"), std::string::npos);
}

TEST(Lessons, ArePrinted) {
    const Desk desk;
    const auto lesson = desk.headway({"lesson", "03"});
    EXPECT_EQ(lesson.ended.exit_code, 0);
    EXPECT_NE(lesson.output.find("head_dim"), std::string::npos);
}

TEST(Status, NamesTheNextStep) {
    const Desk desk;
    const auto status = desk.headway({});
    EXPECT_EQ(status.ended.exit_code, 0);
    EXPECT_NE(status.output.find("./headway"), std::string::npos) << status.output;
}

}  // namespace
}  // namespace headway
