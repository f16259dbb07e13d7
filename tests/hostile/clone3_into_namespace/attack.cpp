#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>

void attack() {
    clone_args what{};
    what.flags = CLONE_NEWUSER;
    what.exit_signal = SIGCHLD;
    const long child = ::syscall(SYS_clone3, &what, sizeof what);
    if (child == 0) ::_exit(0);
    if (child > 0) succeeded("clone3");
}
