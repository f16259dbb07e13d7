#pragma once

#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

// The files that an instructor copies (classroom/), step by step in a clean folder. Only apt-get and git are stand-ins:
// `git clone` puts a headway there that is the one built here.
namespace headway {

namespace fs = std::filesystem;

inline const std::string classroom = std::string(HEADWAY_SOURCE_DIR) + "/classroom";
// Closing would close this checkout, which other tests read at the same time; weaker_jail_test.py tries it on a copy.
inline const std::string launcher =
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

    /// Each step that has commands, as the runner does it. @return the last one, which grades
    sandbox::Finished github() const {
        const YAML::Node workflow = YAML::LoadFile(classroom + "/github/headway.yml");
        sandbox::Finished last;
        for (const YAML::Node& step : workflow["jobs"]["grade"]["steps"])
            if (step["run"])
                last = run(step["run"].as<std::string>(),
                           {"RUNNER_TEMP=" + path("temporary"), "GITHUB_WORKSPACE=" + path("repository"),
                            "GITHUB_STEP_SUMMARY=" + path("summary.md"), "GITHUB_OUTPUT=" + path("output")});
        return last;
    }

    /// As autograding-grading-reporter reads the step's output; null without one.
    nlohmann::json points_for_classroom() const {
        const auto decoded = run("sed -n 's/^result=//p' '" + path("output") + "' | base64 -d");
        return nlohmann::json::parse(decoded.output, nullptr, false);
    }

    sandbox::Finished gitlab() const {
        const YAML::Node job = YAML::LoadFile(classroom + "/gitlab/.gitlab-ci.yml")["grade"];
        // The course goes to a fixed folder there; here it must not leave ours.
        const auto here = [&](std::string line) {
            for (auto at = line.find("/tmp/headway"); at != std::string::npos; at = line.find("/tmp/headway", at + 1))
                if (!line.substr(at).starts_with(path("course"))) line.replace(at, 12, path("course"));
            return line;
        };
        for (const YAML::Node& line : job["before_script"])
            EXPECT_EQ(run(here(line.as<std::string>())).ended.exit_code, 0);
        return run(here(job["script"][0].as<std::string>()), {"CI_PROJECT_DIR=" + path("repository")});
    }

    /// What the job keeps for GitLab under `artifacts: reports:`.
    std::string gitlab_report(const std::string& kind) const {
        const YAML::Node job = YAML::LoadFile(classroom + "/gitlab/.gitlab-ci.yml")["grade"];
        return build::read_file(path("repository/" + job["artifacts"]["reports"][kind].as<std::string>()));
    }

    build::TemporaryFolder folder_;
};

/// A program whose third line does not compile.
inline const std::string does_not_compile = "#include \"merge_heads.hpp\"\n\nint x = \"text\";\n";

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

}  // namespace headway
