// A family, seen from outside on a machine that gives the numbers of processes away again.
#include "sandbox/family.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdint>

#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

[[noreturn]] void wait_to_be_killed() {
    ::pause();
    ::_exit(0);
}

void end_and_bury(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

/// As fork() does, with a number of our choosing. @return -1 where that takes rights that we lack
pid_t fork_as(pid_t number) {
    clone_args how{};
    how.exit_signal = SIGCHLD;
    how.set_tid = reinterpret_cast<std::uintptr_t>(&number);
    how.set_tid_size = 1;
    return static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
}

/// Waits for a number, starts a child that has it, and tells whether there is one.
[[noreturn]] void be_an_ancestor(int way_in, int way_out) {
    pid_t number = -1;
    if (::read(way_in, &number, sizeof number) != sizeof number) ::_exit(1);
    const pid_t child = fork_as(number);
    if (child == 0) wait_to_be_killed();
    if (::write(way_out, &child, sizeof child) != sizeof child) ::_exit(1);
    wait_to_be_killed();
}

TEST(Family, AChildThatGetsTheNumberOfAStrangerIsSeen) {
    std::array<int, 2> question{};
    std::array<int, 2> answer{};
    ASSERT_EQ(::pipe(question.data()), 0);
    ASSERT_EQ(::pipe(answer.data()), 0);
    const pid_t stranger = ::fork();
    if (stranger == 0) wait_to_be_killed();
    const pid_t ancestor = ::fork();
    if (ancestor == 0) be_an_ancestor(question[0], answer[1]);

    Family family(ancestor);
    family.look();
    EXPECT_FALSE(family.members().contains(stranger));
    end_and_bury(stranger);
    pid_t child = -1;
    ASSERT_EQ(::write(question[1], &stranger, sizeof stranger), static_cast<ssize_t>(sizeof stranger));
    ASSERT_EQ(::read(answer[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
    family.look();
    const bool is_seen = family.members().contains(stranger);
    if (child > 0) ::kill(child, SIGKILL);
    end_and_bury(ancestor);
    for (const int descriptor : {question[0], question[1], answer[0], answer[1]}) ::close(descriptor);
    if (child < 0) GTEST_SKIP() << "only root chooses the number of a process";
    EXPECT_TRUE(is_seen);
}

}  // namespace
}  // namespace headway::sandbox
