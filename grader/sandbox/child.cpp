#include "sandbox/child.hpp"

#include "sandbox/control_group.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace headway::sandbox {
namespace {

void set_limit(__rlimit_resource resource, std::uint64_t value) {
    if (value == 0) return;
    const rlimit limit{value, value};
    ::setrlimit(resource, &limit);
}

/// A core file of one byte is none. Where core_pattern names a program, the kernel hands it the memory of what crashed
/// even if the limit is 0, and refrains only if it is 1 [core(5)].
void forgo_core_dumps() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
    const rlimit one{1, 1};
    if (::setrlimit(RLIMIT_CORE, &one) == 0) return;
    limit.rlim_cur = limit.rlim_max;  // whose hard limit is 0 has nothing better than that
    ::setrlimit(RLIMIT_CORE, &limit);
}

void apply(const Limits& limits) {
    set_limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu.count()));
    rlimit addresses{};
    ::getrlimit(RLIMIT_AS, &addresses);
    addresses.rlim_cur = addresses.rlim_max;  // what the grader has set itself is for itself alone
    ::setrlimit(RLIMIT_AS, &addresses);
    set_limit(RLIMIT_AS, limits.address_space);
    set_limit(RLIMIT_FSIZE, limits.file_size);
    set_limit(RLIMIT_STACK, limits.stack);
    forgo_core_dumps();
}

/// Closes at exec what nobody gave the child on purpose: descriptors of the grader, and of the program that started it.
void close_inherited_descriptors() {
    constexpr int first = STDERR_FILENO + 1;
    if (::close_range(first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
    for (int descriptor = first; descriptor < 4096; ++descriptor) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace

void become(const ChildSide& side) {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Command& command = side.launch.command();
    if (command.group) command.group->enter();
    apply(command.limits);
    // Out of the way of the numbers that they will be placed at.
    const int error = ::fcntl(side.error, F_DUPFD, number::first_free);
    for (Placement& placement : side.placements)
        placement.descriptor = ::fcntl(placement.descriptor, F_DUPFD, number::first_free);
    close_inherited_descriptors();
    for (const Placement& placement : side.placements) ::dup2(placement.descriptor, placement.number);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGINT, SIG_DFL);
    if (::chdir(command.directory.c_str()) == 0) ::execve(side.arguments[0], side.arguments, side.environment);
    const int why = errno;
    if (::write(error, &why, sizeof why) < 0) ::_exit(126);
    ::_exit(127);
}

}  // namespace headway::sandbox
