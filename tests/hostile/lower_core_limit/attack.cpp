#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void attack() {
    const rlimit none{0, 1};
    const long core_in_disguise = long{RLIMIT_CORE} + (1L << 32);
    ::setrlimit(RLIMIT_CORE, &none);
    ::syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, nullptr);
    ::syscall(SYS_prlimit64, ::getpid(), core_in_disguise, &none, nullptr);
    ::syscall(SYS_setrlimit, core_in_disguise, &none);
    rlimit limit{};
    ::getrlimit(RLIMIT_CORE, &limit);
    if (limit.rlim_cur != 1) succeeded("a crash would start what core_pattern names");
}
