// Graders beside each other on one machine take nothing from each other, and leave nothing to it.
#include "sandbox/control_group.hpp"
#include "sandbox/orphans.hpp"
#include "sandbox/survey.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

std::shared_ptr<ControlGroup> some_group() {
    std::string why;
    return ControlGroup::make({.memory = mebibytes(64), .processes = 32}, why);
}

/// Runs `action` as a grader in a pid namespace of its own, as in another container. @return whether there can be one
template <class Action>
bool in_another_container(Action action) {
    const pid_t outer = ::fork();
    if (outer == 0) {
        if (::unshare(CLONE_NEWPID) != 0) ::_exit(1);
        const pid_t inner = ::fork();
        if (inner == 0) {
            action();
            ::_exit(0);
        }
        int status = 1;
        ::waitpid(inner, &status, 0);
        ::_exit(status == 0 ? 0 : 1);
    }
    int status = 1;
    ::waitpid(outer, &status, 0);
    return status == 0;
}

TEST(ControlGroups, OfALivingGraderAreNotTakenForAbandoned) {
    const auto ours = some_group();
    if (!ours) GTEST_SKIP() << "no control groups here";
    if (!in_another_container([] { some_group(); })) GTEST_SKIP() << "no pid namespaces here";
    Command command;
    command.arguments = {"/bin/true"};
    command.group = ours;
    const Launch launch = trusted(command, Trusted::tests_of_headway);
    EXPECT_TRUE(run(launch, std::chrono::seconds(10), 100).ended.success()) << "the group is gone";
}

/// All of this machine.
std::set<std::string> groups() {
    namespace fs = std::filesystem;
    std::set<std::string> found;
    std::error_code ignored;
    fs::recursive_directory_iterator entry("/sys/fs/cgroup", fs::directory_options::skip_permission_denied, ignored);
    for (; entry != fs::recursive_directory_iterator(); entry.increment(ignored))
        if (entry->path().filename().string().starts_with("headway-jail-")) found.insert(entry->path().string());
    return found;
}

/// The names of the groups that a process is in, as the kernel tells it.
std::set<std::string> own_groups() {
    std::set<std::string> names;
    std::ifstream lines("/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t name = line.rfind("headway-jail-"); name != std::string::npos)
            names.insert(line.substr(name));
    return names;
}

TEST(ControlGroups, OfADeadGraderAreRemoved) {
    if (!some_group()) GTEST_SKIP() << "no control groups here";
    // Its own alone: another grader of this machine may make groups meanwhile.
    const build::TemporaryFolder folder;
    const std::filesystem::path told = folder.path() / "groups";
    const pid_t killed = ::fork();
    if (killed == 0) {
        const auto abandoned = some_group();
        abandoned->enter();
        std::ofstream file(told);
        for (const std::string& name : own_groups()) file << name << '\n';
        file.close();
        ::_exit(0);  // without a destructor, as when it is killed
    }
    ::waitpid(killed, nullptr, 0);
    std::set<std::string> abandoned;
    std::ifstream names(told);
    for (std::string name; std::getline(names, name);) abandoned.insert(name);
    EXPECT_FALSE(abandoned.empty());
    const auto next = some_group();
    for (const std::string& group : groups())
        EXPECT_FALSE(abandoned.contains(std::filesystem::path(group).filename().string())) << group;
}

std::vector<std::string> children() {
    std::vector<std::string> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream numbers(thread.path() / "children");
        for (std::string child; numbers >> child;) found.push_back(child);
    }
    return found;
}

class Neighbours : public testing::Test {
protected:
    void SetUp() override {
        if (!machine().jail.exists()) GTEST_SKIP() << "no jail here";
    }
    static const Survey& machine() {
        static const Survey found = survey({HEADWAY_PROGRAMS, HEADWAY_SOURCE_DIR}, {});
        return found;
    }
    static Launch jailed(const std::string& line) {
        Command command;
        command.arguments = {"/bin/sh", "-c", line};
        command.limits = {std::chrono::seconds(20), 0, mebibytes(8), 64, mebibytes(200)};
        return machine().jail.lock(command, {.program = {}, .readable = {}, .tools = true, .folder = mebibytes(16)});
    }
};

TEST_F(Neighbours, UsersOfJailsAreDrawnNotCounted) {
    if (machine().jail.name() != "pool_user") GTEST_SKIP() << "no pool users here";
    std::vector<long> users;
    users.reserve(3);
    for (int i = 0; i < 3; ++i) users.push_back(std::stol(run(jailed("id -u"), std::chrono::seconds(10), 100).output));
    std::ranges::sort(users);
    EXPECT_GT(users.back() - users.front(), 64);
}

TEST_F(Neighbours, WhatAKilledJailLeavesIsBuried) {
    adopt_orphans();
    for (int i = 0; i < 5; ++i) {
        Process process = Process::start(jailed("(setsid sleep 1000 &); sleep 1000"), Channel::yes);
        process.kill();
        process.wait();
        EXPECT_TRUE(children().empty()) << i;
    }
}

TEST_F(Neighbours, OwnChildrenAreNoOrphans) {
    adopt_orphans();
    Process patient = Process::start(jailed("sleep 0.3; exit 7"), Channel::yes);
    Process killed = Process::start(jailed("sleep 1000"), Channel::yes);
    killed.kill();
    killed.wait();
    EXPECT_EQ(patient.wait().exit_code, 7);
}

TEST_F(Neighbours, UsingUpItsOwnMemoryIsNotTheMachines) {
    Command command = jailed("x=$(yes | head -c 900000000); echo ${#x}").command();
    command.limits.resident = 0;  // nobody watches: the kernel's bound is what is left
    const auto finished = run(trusted(command, Trusted::tests_of_headway), std::chrono::seconds(30), 1000);
    if (!command.group) GTEST_SKIP() << "no control groups here";
    EXPECT_TRUE(finished.out_of_memory);
    EXPECT_FALSE(finished.starved);
}

}  // namespace
}  // namespace headway::sandbox
