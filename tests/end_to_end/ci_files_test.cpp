// The files that an instructor copies (classroom/), step by step in a clean folder. Only apt-get and git are stand-ins:
// `git clone` puts a headway there that is the one built here.
#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

namespace headway {
namespace {

namespace fs = std::filesystem;

const std::string classroom = std::string(HEADWAY_SOURCE_DIR) + "/classroom";
// Closing would close this checkout, which other tests read at the same time; weaker_jail_test.py tries it on a copy.
const std::string launcher =
    std::string("#!/bin/sh\n[ \"$1\" = --yes ] && shift\n[ \"$2\" = --close ] && exit 0\nexec '") + HEADWAY_CLI +
    "' \"$@\"\n";

class CiFiles : public testing::Test {
protected:
    CiFiles() {
        // In the weaker jail another user must reach what is compiled and run here; see tests/hostile/poor_machine.py.
        fs::permissions(folder_.path(), fs::perms::others_exec | fs::perms::owner_all);
        program("bin/apt-get", "#!/bin/sh\nexit 0\n");
        program("bin/headway", launcher);
        program("bin/git",
                "#!/bin/sh\nfor last do :; done\nmkdir -p \"$last\"\ncp '" + path("bin/headway") + "' \"$last\"\n");
        folder_.write("repository/exercises/04_merge_heads/merge_heads.cpp", "int x = \"text\";\n");
    }

    void program(const std::string& name, const std::string& text) const {
        fs::permissions(folder_.write(name, text), fs::perms::owner_all);
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

    sandbox::Finished run(const std::string& script, const std::vector<std::string>& more = {}) const {
        sandbox::Command command;
        command.arguments = {"/bin/bash", "-e", "-o", "pipefail", "-c", script};
        command.environment = {"PATH=" + path("bin") + ":/usr/bin:/bin", "LC_ALL=C.UTF-8", "HEADWAY=course",
                               "HOME=" + folder_.path().string(), "HEADWAY_STATE=" + path("state")};
        command.environment.insert(command.environment.end(), more.begin(), more.end());
        command.directory = folder_.path() / "repository";
        return sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway),
                            std::chrono::seconds(200), std::size_t{4} << 20U);
    }

    build::TemporaryFolder folder_;
};

TEST_F(CiFiles, GithubActions) {
    const YAML::Node workflow = YAML::LoadFile(classroom + "/github/headway.yml");
    sandbox::Finished last;
    for (const YAML::Node& step : workflow["jobs"]["grade"]["steps"])
        if (step["run"])
            last = run(step["run"].as<std::string>(),
                       {"RUNNER_TEMP=" + path("temporary"), "GITHUB_STEP_SUMMARY=" + path("summary.md")});
    EXPECT_EQ(last.ended.exit_code, 1) << last.output;
    EXPECT_NE(last.output.find("::error file=exercises/04_merge_heads/merge_heads.cpp,line=1,"), std::string::npos)
        << last.output;
    EXPECT_NE(build::read_file(path("summary.md")).find("| failed |"), std::string::npos);
    EXPECT_TRUE(fs::exists(path("repository/verdict.json")) && fs::exists(path("repository/verdict.xml")));
}

TEST_F(CiFiles, GitlabCi) {
    const YAML::Node job = YAML::LoadFile(classroom + "/gitlab/.gitlab-ci.yml")["grade"];
    // The course goes to a fixed folder there; here it must not leave ours.
    const auto here = [&](std::string line) {
        for (auto at = line.find("/tmp/headway"); at != std::string::npos; at = line.find("/tmp/headway", at + 1))
            if (!line.substr(at).starts_with(path("course"))) line.replace(at, 12, path("course"));
        return line;
    };
    for (const YAML::Node& line : job["before_script"]) EXPECT_EQ(run(here(line.as<std::string>())).ended.exit_code, 0);
    const auto graded = run(here(job["script"][0].as<std::string>()));
    EXPECT_EQ(graded.ended.exit_code, 1) << graded.output;
    EXPECT_TRUE(fs::exists(path("repository/" + job["artifacts"]["reports"]["junit"].as<std::string>())));
}

class Gradescope : public CiFiles {
protected:
    Gradescope() {
        program("autograder/source/headway", launcher);
        folder_.write("autograder/source/exercises/04_merge_heads/merge_heads.cpp", "");
        fs::create_directories(path("autograder/submission"));
    }

    sandbox::Finished script(const std::string& name) const {
        return run("'" + classroom + "/gradescope/" + name + "'", {"AUTOGRADER=" + path("autograder")});
    }
    nlohmann::json results() const {
        return nlohmann::json::parse(build::read_file(path("autograder/results/results.json")));
    }
    void hand_in(const std::string& file, const std::string& text) const {
        fs::remove_all(path("autograder/submission"));
        folder_.write("autograder/submission/" + file, text);
    }
};

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
