// What is typed wrongly, and what --help and the exit status say.
#include "headway.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace headway {
namespace {

TEST(WrongUsage, IsToldWithTheNextStep) {
    const CourseCopy copy;
    const auto told = [&](const std::vector<std::string>& words, const std::string& what) {
        const auto finished = copy.headway(words);
        EXPECT_EQ(finished.ended.exit_code, 2) << finished.output;
        EXPECT_TRUE(says(finished, what)) << finished.output;
    };
    told({"reset"}, "headway: which exercise? Give its number, such as ./headway reset 03");
    told({"grade", "--nosuch"}, "headway: ./headway grade does not know --nosuch; ./headway grade --help lists");
    told({"hint", "04", "--level", "0"}, "more: ./headway hint --help");
    told({"grade", "lessons"}, "open a file of the exercise first");
    told({"lesson", "77"}, "there is no lesson 77; there are 00, 01,");
}

/// @return what `echo $?` says behind a command in a shell
std::string status_in_shell(const CourseCopy& copy, const std::string& command) {
    sandbox::Command shell;
    shell.arguments = {"/bin/sh", "-c", command};
    shell.environment = {"PATH=/usr/bin:/bin", "HEADWAY_ROOT=" + copy.root().string(), "CLI=" HEADWAY_CLI};
    shell.directory = copy.root();
    return sandbox::run(sandbox::trusted(shell, sandbox::Trusted::tests_of_headway), std::chrono::seconds(60), 4096)
        .output;
}

TEST(Output, ThatCannotBeWrittenIsNoSuccess) {
    const CourseCopy copy;
    EXPECT_EQ(status_in_shell(copy, "$CLI lesson 00 >/dev/full 2>/dev/null; echo $?"), "3\n");
    EXPECT_EQ(status_in_shell(copy, "($CLI grade 99; echo $? >status) 2>&1 | true; sleep 0.5; cat status"), "2\n");
}

TEST(Help, FitsInto80Columns) {
    const CourseCopy copy;
    for (const char* command :
         {"grade", "hint", "try", "watch", "lesson", "reset", "debug", "pack", "class", "verify"}) {
        std::istringstream lines(copy.headway({command, "--help"}).output);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

}  // namespace
}  // namespace headway
