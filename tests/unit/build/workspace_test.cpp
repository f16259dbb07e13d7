#include "build/workspace.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

namespace headway::build {
namespace {

/// A workspace whose compiler is a shell script.
class WorkspaceTest : public testing::Test {
protected:
    Workspace::Objects compile_with(const std::string& script, const std::string& included = "") {
        const auto compiler = folder.write("compiler", "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
        toolchain.compiler = compiler;
        for (const Build build : {Build::plain, Build::sanitized})
            toolchain.compile[build] = toolchain.link[build] = toolchain.prelude[build] = {};
        toolchain.include = folder.path() / "course/tensor/include";
        toolchain.system_include = folder.path();
        folder.write("course/03_scaled_scores/scaled_scores.hpp", "");
        folder.write("theirs/scaled_scores.cpp", "#include \"rows.cpp\"");
        folder.write("theirs/rows.cpp", included);
        Workspace workspace(toolchain, jail,
                            read_submission(folder.path() / "theirs", folder.path() / "course/03_scaled_scores"),
                            folder.path() / "work");
        return workspace.compile_for_lab();
    }

    /// Goes before a script that fails, and compiles what is no submission's.
    const std::string but_known_good = "case \"$*\" in *known_good*) exit 0;; esac; ";

    TemporaryFolder folder;
    Toolchain toolchain;
    sandbox::Jail jail = sandbox::Jail::absent_jail(sandbox::read_policy(""));
};

TEST_F(WorkspaceTest, ACompilerThatRefusesSaysSoOfTheSubmission) {
    const Workspace::Objects objects = compile_with("echo 'scaled_scores.cpp:1:5: error: no' >&2; exit 1");
    ASSERT_TRUE(objects.problem);
}

TEST_F(WorkspaceTest, ACompilerKilledFromOutsideIsNoFaultOfTheSubmission) {
    EXPECT_THROW(compile_with("kill -9 $$"), std::runtime_error);
    EXPECT_THROW(compile_with("exit 137"), std::runtime_error);  // as a jail tells it
    // Who takes a task of a cluster back asks before it kills.
    EXPECT_THROW(compile_with("kill -TERM $$"), std::runtime_error);
}

TEST(CompileTime, IsOneForAllFilesAndBuilds) {
    const sandbox::Policy::Compiler most{.cpu = std::chrono::seconds(60), .all_cpu = std::chrono::seconds(100)};
    CompileTime time;
    EXPECT_EQ(time.next_run(most), std::chrono::seconds(60));
    time.spend(std::chrono::seconds(70));
    EXPECT_EQ(time.next_run(most), std::chrono::seconds(30));
    time.spend(std::chrono::seconds(70));
    EXPECT_EQ(time.next_run(most), std::chrono::seconds(1));
}

TEST_F(WorkspaceTest, ADeathThatDoesNotRepeatCostsNothing) {
    const std::string once =
        "[ -e " + (folder.path() / "died").string() + " ] && exit 0; touch " + (folder.path() / "died").string() + "; ";
    EXPECT_FALSE(compile_with(once + "kill -9 $$").problem);
    std::filesystem::remove(folder.path() / "died");
    // g++ tells of the death of its own compiler proper, or of the linker, in words alone.
    EXPECT_FALSE(compile_with(once + "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1 #1")
                     .problem);
    std::filesystem::remove(folder.path() / "died");
    EXPECT_FALSE(
        compile_with(once + "echo 'collect2: fatal error: ld terminated with signal 9 [Killed]' >&2; exit 1").problem);
}

TEST_F(WorkspaceTest, WhatIsPrintedNeverTakesTheFaultFromTheSubmission) {
    for (const char* words :
         {"g++: fatal error: Killed signal terminated program cc1plus",
          "g++: fatal error: Terminated signal terminated program cc1plus",
          "collect2: fatal error: ld terminated with signal 9 [Killed]", "g++:1:2: error: #error Killed",
          "scaled_scores.cpp:1:2: error: #error g++: fatal error: Killed signal terminated program x"}) {
        const auto problem = compile_with(but_known_good + "echo '" + std::string(words) + "' >&2; exit 1").problem;
        ASSERT_TRUE(problem) << words;
        EXPECT_EQ(problem->problem, verdict::BuildProblem::compile_error) << "nor is it said to have run out of time";
    }
}

TEST_F(WorkspaceTest, ACompilerThatCompilesNothingIsTheMachinesFault) {
    const std::string no_process = "echo \"g++: fatal error: cannot execute 'cc1plus': posix_spawn\" >&2; exit 1";
    EXPECT_THROW(compile_with(no_process), std::runtime_error);
    EXPECT_TRUE(compile_with(but_known_good + no_process).problem) << "it compiles something else";
    EXPECT_THROW(compile_with("exit 126"), std::runtime_error) << "what it made could not be written";
}

TEST_F(WorkspaceTest, LargeObjectsAreRefusedAndNotKept) {
    sandbox::Policy policy;
    policy.compiler.folder = 1500;
    policy.compiler.file = 1000;
    jail = sandbox::Jail::absent_jail(policy);
    // A thousand bytes for each of the two files.
    const std::string large = "for last; do :; done; head -c 1000 /dev/zero >\"$last\"";
    const Workspace::Objects objects = compile_with(large);
    ASSERT_TRUE(objects.problem);
    EXPECT_EQ(objects.problem->problem, verdict::BuildProblem::too_long);
    for (const std::string& object : objects.files) EXPECT_FALSE(std::filesystem::exists(object)) << object;
    policy.compiler.folder = 2500;
    jail = sandbox::Jail::absent_jail(policy);
    EXPECT_FALSE(compile_with(large).problem);
}

TEST_F(WorkspaceTest, EigensHeaderIsUsedOnceItIsPrecompiled) {
    const auto log = folder.path() / "words";
    toolchain.main[Build::plain] = {};
    toolchain.libraries["03_scaled_scores"][Build::plain] = {};
    compile_with("echo \"$*\" >>" + log.string() + "; for last; do :; done; : >\"$last\"");
    const std::string plain = folder.write("plain.hpp", "").string(), eigen = folder.write("eigen.hpp", "").string();
    folder.write("theirs/rows.cpp", "#include <Eigen/Core>");
    const auto uses = [&](const std::string& header) {
        std::filesystem::remove(log);
        std::filesystem::remove_all(folder.path() / "work");
        toolchain.prelude[Build::plain] = {"-include", plain};
        toolchain.prelude_eigen[Build::plain] = {"-include", eigen};
        Workspace workspace(toolchain, jail,
                            read_submission(folder.path() / "theirs", folder.path() / "course/03_scaled_scores"),
                            folder.path() / "work");
        workspace.build_worker(Build::plain);
        std::ifstream words(log);
        return std::string(std::istreambuf_iterator<char>(words), {}).find(header) != std::string::npos;
    };
    EXPECT_TRUE(uses(plain));
    EXPECT_FALSE(uses(eigen));
    folder.write("eigen.hpp.gch", "");
    EXPECT_TRUE(uses(eigen));
    EXPECT_FALSE(uses(plain));
}

TEST_F(WorkspaceTest, HeadersThatChangedSinceTheyWerePrecompiledAreTheCoursesFault) {
    folder.write("course/tensor/include/headway/tensor.hpp", "");
    const auto precompiled = folder.write("prelude.hpp.gch", "");
    const std::string twice = "echo 'scaled_scores.cpp:1:1: error: redefinition of class Tensor' >&2; exit 1";
    const auto compiled = [&](const std::string& script) {
        const Workspace::Objects ready = compile_with("exit 0");  // the course and the submission are written
        std::filesystem::remove_all(folder.path() / "work");
        const auto compiler = folder.write("compiler", "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
        toolchain.main[Build::plain] = {};
        toolchain.libraries["03_scaled_scores"][Build::plain] = {};
        toolchain.prelude[Build::plain] = {"-include", (folder.path() / "prelude.hpp").string()};
        Workspace workspace(toolchain, jail,
                            read_submission(folder.path() / "theirs", folder.path() / "course/03_scaled_scores"),
                            folder.path() / "work");
        return workspace.build_worker(Build::plain).build.problem;
    };
    const auto now = std::filesystem::last_write_time(precompiled);
    std::filesystem::last_write_time(folder.path() / "course/tensor/include/headway/tensor.hpp",
                                     now - std::chrono::hours(1));
    EXPECT_EQ(compiled(twice), verdict::BuildProblem::compile_error) << "as it was built";
    std::filesystem::last_write_time(folder.path() / "course/tensor/include/headway/tensor.hpp",
                                     now + std::chrono::hours(1));
    EXPECT_THROW(compiled(twice), std::runtime_error);
    EXPECT_EQ(compiled(but_known_good + twice), verdict::BuildProblem::compile_error) << "headers that still compile";
}

TEST_F(WorkspaceTest, ASourceThatAnotherIncludesIsPartOfIt) {
    const auto log = folder.path() / "compiled";
    const std::string compile = "for word; do case $word in ./*.cpp) echo $word >>" + log.string() +
                                ";; esac; case $last in -o) : >$word;; esac; last=$word; done";
    const auto compiled = [&] {
        std::ifstream lines(log);
        return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
    };
    ASSERT_FALSE(compile_with(compile, "int x;").problem);
    const auto first = compiled();
    ASSERT_FALSE(compile_with(compile, "int x;").problem);
    EXPECT_EQ(compiled(), first) << "nothing has changed";
    ASSERT_FALSE(compile_with(compile, "int y;").problem);
    EXPECT_EQ(compiled(), 2 * first);
}

TEST_F(WorkspaceTest, NoNameOfAFileIsAnOption) {
    const Workspace::Objects objects = compile_with("for word; do case $word in scaled*) exit 1; esac; done");
    EXPECT_FALSE(objects.problem) << "the source is given as ./scaled_scores.cpp";
}

}  // namespace
}  // namespace headway::build
