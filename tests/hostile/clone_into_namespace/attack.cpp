#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>

void attack() {
    const long child = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) ::_exit(0);
    if (child > 0) succeeded("clone");
}
