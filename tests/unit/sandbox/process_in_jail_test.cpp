// Programs in a jail, as the judge and the compiler's caller see them.
#include "sandbox/control_group.hpp"
#include "sandbox/survey.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/resource.h>

namespace headway::sandbox {
namespace {

using testing::HasSubstr;

class ProcessInJail : public testing::Test {
protected:
    void SetUp() override {
        if (!machine().jail.exists()) GTEST_SKIP() << "no jail here";
    }
    static const Survey& machine() {
        static const Survey found = survey({HEADWAY_PROGRAMS, HEADWAY_SOURCE_DIR}, {});
        return found;
    }
    static Command shell(const std::string& line) {
        Command command;
        command.arguments = {"/bin/sh", "-c", line};
        command.limits = {std::chrono::seconds(20), 0, mebibytes(8), 64, mebibytes(200)};
        return command;
    }
    static Finished in_jail(const Command& command, int seconds = 30) {
        return run(machine().jail.lock(command, tools()), std::chrono::seconds(seconds), 65536);
    }
    static Ended ended_with(Offspring offspring, const std::string& line) {
        Command command = shell(line);
        command.offspring = offspring;
        return in_jail(command).ended;
    }
    static JailContents tools() { return {.program = {}, .readable = {}, .tools = true, .folder = mebibytes(16)}; }
};

TEST_F(ProcessInJail, EndsAsItEndsWithout) {
    EXPECT_TRUE(in_jail(shell("exit 0")).ended.success());
    EXPECT_EQ(in_jail(shell("exit 7")).ended.exit_code, 7);
    EXPECT_EQ(in_jail(shell("kill -SEGV $$")).ended.signal, SIGSEGV);
}

TEST_F(ProcessInJail, StartsAgainAndAgain) {
    const Launch locked = machine().jail.lock(shell("exit 3"), tools());
    for (int i = 0; i < 150; ++i) {
        Process process = Process::start(locked, Channel::yes);
        ASSERT_EQ(process.wait().exit_code, 3) << i;
    }
}

TEST_F(ProcessInJail, HasTheEnvironmentThatItWasGivenAndNoOther) {
    Command command = shell("/usr/bin/env");
    command.environment = {"NAME=value with spaces"};
    const std::string output = in_jail(command).output;
    EXPECT_THAT(output, HasSubstr("NAME=value with spaces\n"));
    EXPECT_THAT(output, Not(HasSubstr("HOME=")));
}

TEST_F(ProcessInJail, EachThreadHasTheStackThatItWasGiven) {
    Command command = shell("ulimit -s");
    command.limits.stack = mebibytes(3);
    EXPECT_EQ(in_jail(command).output, "3072\n");
}

TEST_F(ProcessInJail, WhoGradesMayHaveLessThanAProgramIsGranted) {
    const auto starts_with_less = [] {
        const rlimit less{mebibytes(4), mebibytes(4)};
        ::setrlimit(RLIMIT_FSIZE, &less);  // where a program is granted 8 MiB
        return in_jail(shell("exit 0")).ended.success();
    };
    EXPECT_EXIT(std::exit(starts_with_less() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessInJail, KeepsTheLimitThatNoCoreDumpGetsAround) {
    JailContents contents = tools();
    contents.own_processes_visible = true;
    const std::string limits = run(machine().jail.lock(shell("ulimit -c 0 && cat /proc/self/limits"), contents),
                                   std::chrono::seconds(30), 65536)
                                   .output;
    EXPECT_THAT(limits, testing::ContainsRegex("Max core file size +1 +1 "));
}

TEST_F(ProcessInJail, AProgramThatIsNotThereIsSaidToBe) {
    Command command = shell("");
    command.arguments = {"/nowhere/program"};
    EXPECT_THROW(in_jail(command), std::system_error);
}

TEST_F(ProcessInJail, LeavesOneFileBehind) {
    const build::TemporaryFolder folder;
    const auto product = folder.path() / "product";
    const Command command = shell("echo made > /tmp/product; echo lost > /tmp/other");
    run(machine().jail.lock(command, tools(), product), std::chrono::seconds(30), 4096);
    std::string text;
    std::getline(std::ifstream(product), text);
    EXPECT_EQ(text, "made");
}

TEST_F(ProcessInJail, WhatItLeavesBehindIsNoLink) {
    const build::TemporaryFolder folder;
    const auto finished =
        run(machine().jail.lock(shell("ln -s /usr/bin/env /tmp/product"), tools(), folder.path() / "product"),
            std::chrono::seconds(30), 4096);
    EXPECT_FALSE(finished.ended.success());
}

TEST_F(ProcessInJail, DiesWithItsChildrenWhenItsTimeIsUp) {
    const auto finished = in_jail(shell("(setsid sleep 1000 &) ; sleep 1000"), 1);
    EXPECT_TRUE(finished.timed_out);
    EXPECT_LT(finished.seconds.count(), 10);
}

TEST_F(ProcessInJail, MemoryIsCountedOverAllItsProcesses) {
    // Four shells of some 80 MiB: each has less than the limit of 200 MiB.
    const auto finished =
        in_jail(shell("for i in 1 2 3 4; do (x=$(yes | head -c 80000000); sleep 20; echo $x) & done; wait"));
    EXPECT_TRUE(finished.out_of_memory);
}

/// What budgets of compilers are taken from, and how the kernel's limit is known from a death by the machine.
TEST_F(ProcessInJail, WhatItComputedIsKnown) {
    const auto finished = in_jail(shell("i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"));
    EXPECT_TRUE(finished.ended.success());
    EXPECT_GT(finished.computed, std::chrono::milliseconds(100));
    const auto idle = in_jail(shell("sleep 0.5"));
    EXPECT_LT(idle.computed, std::chrono::milliseconds(100));
}

/// Even one that nobody waits for, which leaves no trace afterwards.
TEST_F(ProcessInJail, MayBeKeptFromStartingOthersOrBecomingAnother) {
    EXPECT_TRUE(ended_with(Offspring::none, "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done").success());
    EXPECT_EQ(ended_with(Offspring::none, "(exit 0); exit 0").signal, SIGSYS);
    EXPECT_EQ(ended_with(Offspring::none, "trap '' CHLD; /bin/true & exit 0").signal, SIGSYS);
    EXPECT_EQ(ended_with(Offspring::none, "exec /bin/true").signal, SIGSYS);
    EXPECT_TRUE(ended_with(Offspring::any, "(exit 0); exec /bin/true").success());
}

TEST_F(ProcessInJail, StartsOthersWhereAGroupCountsThem) {
    Command command = shell("(exit 0); exec /bin/true");
    command.offspring = Offspring::counted;
    const Launch locked = machine().jail.lock(command, tools());
    const bool is_counted = locked.command().group && locked.command().group->reset_peak_memory();
    EXPECT_EQ(locked.command().alone, !is_counted);
    EXPECT_EQ(run(locked, std::chrono::seconds(30), 4096).ended.success(), is_counted);
}

TEST_F(ProcessInJail, MemoryIsWatchedWhereItsOutputIsTakenToo) {
    const auto finished =
        run(machine().jail.lock(shell("for i in 1 2 3 4; do (x=$(yes | head -c 80000000); sleep 20; echo $x) & done; "
                                      "wait"),
                                tools()),
            std::chrono::seconds(30), [](std::string_view) {});
    EXPECT_TRUE(finished.out_of_memory);
}

}  // namespace
}  // namespace headway::sandbox
