#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

static pid_t pids[300];

void attack() {
    for (int children = 0; children < 300; ++children) {
        const pid_t child = ::fork();
        if (child == 0)
            for (;;) ::pause();
        if (child < 0) {
            while (children-- > 0) ::kill(pids[children], SIGKILL);
            while (::wait(nullptr) > 0) {
            }
            return;
        }
        pids[children] = child;
    }
    succeeded("300 processes");
}
