// The sandbox's processes, tried on programs that every system has.
#include "sandbox/process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

using std::chrono::seconds;

Command command_for(const std::string& script) {
    Command command;
    command.arguments = {"/bin/sh", "-c", script};
    command.environment = {"PATH=/usr/bin:/bin"};
    return command;
}

Launch launch(Command command) { return trusted(std::move(command), Trusted::tests_of_headway); }

Launch shell(const std::string& script) { return launch(command_for(script)); }

TEST(Process, OutputAndStatusComeBack) {
    const Finished finished = run(shell("echo out; echo err >&2; exit 3"), seconds(10), 1000);
    EXPECT_EQ(finished.output, "out\nerr\n");
    EXPECT_EQ(finished.ended.exit_code, 3);
    EXPECT_FALSE(finished.timed_out);
}

TEST(Process, EnvironmentIsOursAlone) {
    ::setenv("HEADWAY_CANARY", "secret", 1);
    const Finished finished = run(shell("env"), seconds(10), 1000);
    EXPECT_EQ(finished.output.find("secret"), std::string::npos);
}

TEST(Process, DescriptorsAreClosed) {
    const std::ifstream open_file("/etc/passwd");
    const Finished finished = run(shell("ls /proc/self/fd | wc -l"), seconds(10), 1000);
    EXPECT_EQ(std::stoi(finished.output), 4);  // 0, 1, 2 and the folder that ls reads
}

TEST(Process, FloodsAreDroppedNotKept) {
    const Finished finished = run(shell("yes | head -c 20000000"), seconds(20), 4096);
    EXPECT_EQ(finished.output.size(), 4096U);
    EXPECT_TRUE(finished.output_truncated);
    EXPECT_TRUE(finished.ended.success());
}

TEST(Process, OutputCanBeTakenAsItComes) {
    std::string taken;
    const Finished finished =
        run(shell("echo one; sleep 0.2; echo two"), seconds(10), [&](std::string_view bytes) { taken += bytes; });
    EXPECT_EQ(taken, "one\ntwo\n");
    EXPECT_EQ(finished.output, "");
    EXPECT_TRUE(finished.ended.success());
}

TEST(Process, TheWallClockAlsoEndsOneWhoseOutputIsTaken) {
    const Finished finished = run(shell("yes"), seconds(1), [](std::string_view) {});
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.ended.signal, SIGKILL);
}

TEST(Process, WhatItsChildrenComputedIsKnownInTheEnd) {
    const std::string work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    const Finished finished = run(shell("(" + work + ") & (" + work + ") & wait"), seconds(60), 1000);
    EXPECT_GT(finished.computed, std::chrono::milliseconds(20));
}

TEST(Process, TheWallClockEndsIt) {
    const Finished finished = run(shell("sleep 100"), seconds(1), 1000);
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.ended.signal, SIGKILL);
    EXPECT_LT(finished.seconds.count(), 30);
}

TEST(Process, ClosingItsOutputDoesNotEscapeTheClock) {
    const Finished finished = run(shell("exec >/dev/null 2>&1; sleep 100"), seconds(1), 1000);
    EXPECT_TRUE(finished.timed_out);
}

TEST(Process, WhatItStartedDiesWithIt) {
    const Finished finished = run(shell("sleep 1000 >/dev/null 2>&1 & echo $!"), seconds(10), 1000);
    const auto child = static_cast<pid_t>(std::stol(finished.output));
    for (int i = 0; i < 200 && ::kill(child, 0) == 0; ++i) ::usleep(10'000);
    std::ifstream status("/proc/" + std::to_string(child) + "/status");
    std::string text((std::istreambuf_iterator<char>(status)), {});
    EXPECT_TRUE(text.empty() || text.find("State:\tZ") != std::string::npos) << text;
}

TEST(Process, ItsNameHidesNoMemory) {
    const auto folder = std::filesystem::temp_directory_path() / ("headway-names-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    for (const char* name : {"VmRSS:", "VmHWM:"}) {
        std::filesystem::create_symlink("/bin/sleep", folder / name);
        Command command;
        command.arguments = {(folder / name).string(), "100"};
        const Process process = Process::start(launch(command), Channel::no);
        ::usleep(50'000);
        EXPECT_GT(process.resident_bytes(), 0U) << name;
        EXPECT_GT(process.growth_since({}), 0U) << name;  // the peak, over nothing
    }
    std::filesystem::remove_all(folder);
}

/// As somebody without rights: root may look at anybody. @param mode  of the program: one that may not be read keeps
/// its memory to itself, as after PR_SET_DUMPABLE
enum class Seen { open, shut, unknown };
Seen memory_of_sleep(const std::filesystem::path& folder, std::filesystem::perms mode) {
    const auto program = folder / "program";
    std::filesystem::copy_file("/bin/sleep", program, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::permissions(program, mode);
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) return Seen::unknown;
    Command command;
    command.arguments = {program.string(), "100"};
    const Process process = Process::start(launch(command), Channel::no);
    ::usleep(50'000);
    const auto mark = process.mark_memory();
    return !mark ? Seen::unknown : mark->is_shut ? Seen::shut : Seen::open;
}

TEST(Process, MemoryThatItShutsIsToldFromMemoryThatNobodyCounts) {
    const auto folder = std::filesystem::temp_directory_path() / ("headway-shut-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, std::filesystem::perms{0755});
    const auto exits_with = [](Seen seen) { return testing::ExitedWithCode(static_cast<int>(seen)); };
    const auto look = [&](unsigned mode) {
        std::exit(static_cast<int>(memory_of_sleep(folder, std::filesystem::perms{mode})));
    };
    EXPECT_EXIT(look(0755), exits_with(Seen::open), "");
    EXPECT_EXIT(look(0111), exits_with(Seen::shut), "");
    std::filesystem::remove_all(folder);
}

TEST(Process, AProgramThatDoesNotExistIsAnError) {
    Command command;
    command.arguments = {"/no/such/program"};
    EXPECT_THROW(Process::start(launch(command), Channel::no), std::system_error);
}

/// With 0 the kernel would still hand the memory to a program that core_pattern names [core(5)].
TEST(Process, ACrashHandsNoCoreDumpToAHelper) {
    rlimit here{};
    ::getrlimit(RLIMIT_CORE, &here);
    if (here.rlim_max == 0) GTEST_SKIP() << "the hard limit on core files is 0 here";
    const std::string limits = run(shell("cat /proc/self/limits"), seconds(10), 4096).output;
    const std::size_t line = limits.find("Max core file size");
    ASSERT_NE(line, std::string::npos) << limits;
    std::istringstream values(limits.substr(line + std::string("Max core file size").size()));
    int soft = -1;
    int hard = -1;
    values >> soft >> hard;
    EXPECT_EQ(soft, 1);
    EXPECT_EQ(hard, 1);
}

TEST(Process, LimitsHold) {
    Command command = command_for("ulimit -t; ulimit -f");
    command.limits.cpu = seconds(7);
    command.limits.file_size = 1U << 20U;
    const Finished finished = run(launch(command), seconds(10), 1000);
    EXPECT_EQ(finished.output.substr(0, 2), "7\n");
    EXPECT_NE(finished.output.find("2048"), std::string::npos);  // blocks of 512 bytes
}

}  // namespace
}  // namespace headway::sandbox
