#include "sandbox/entry/alone.hpp"

#include <cerrno>
#include <cstddef>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>

namespace entry {
namespace {

using Steps = std::vector<sock_filter>;

constexpr std::uint32_t ended = SECCOMP_RET_KILL_PROCESS;

void add(Steps& steps, const Steps& more) { steps.insert(steps.end(), more.begin(), more.end()); }

/// Halves of an argument: the machine is little-endian.
constexpr std::uint32_t low(unsigned argument) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
}
constexpr std::uint32_t high(unsigned argument) { return low(argument) + sizeof(std::uint32_t); }

sock_filter load(std::uint32_t from) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, from); }
sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
sock_filter unless_equal_skip(std::uint32_t value, std::uint8_t steps) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps);
}

void add_answer(Steps& steps, std::uint32_t call, std::uint32_t action) {
    add(steps, {unless_equal_skip(call, 1), answer(action)});
}

/// Other architectures' numbers are the business of the jail's own filter.
Steps filter(std::uint64_t password) {
    Steps steps{load(offsetof(seccomp_data, nr))};
    add_answer(steps, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);  // its flags cannot be seen; libc falls back to clone
    add(steps, {unless_equal_skip(SYS_clone, 4), load(low(0)), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
                answer(SECCOMP_RET_ALLOW), answer(ended)});
#ifdef __x86_64__  // the others have clone alone
    add_answer(steps, SYS_fork, ended);
    add_answer(steps, SYS_vfork, ended);
#endif
    add_answer(steps, SYS_execveat, ended);
    add(steps,
        {unless_equal_skip(SYS_execve, 6), load(low(3)), unless_equal_skip(static_cast<std::uint32_t>(password), 3),
         load(high(3)), unless_equal_skip(static_cast<std::uint32_t>(password >> 32U), 1), answer(SECCOMP_RET_ALLOW),
         answer(ended)});
    add(steps, {answer(SECCOMP_RET_ALLOW)});
    return steps;
}

}  // namespace

bool stay_alone(std::uint64_t& password) {
    if (::getrandom(&password, sizeof password, 0) != sizeof password) return false;
    Steps steps = filter(password);
    const sock_fprog program{static_cast<unsigned short>(steps.size()), steps.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace entry
