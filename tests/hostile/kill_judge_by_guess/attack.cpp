#include <unistd.h>
#include <csignal>

void attack() {
    // As often as that: it takes longer than all calls of a whole exercise may.
    constexpr int often_enough = 10;
    static int calls = 0;
    if (++calls > often_enough) return;
    for (int process = 3; process < 100000; ++process)
        if (process != ::getpid() && ::kill(process, SIGKILL) == 0) succeeded("somebody was there");
}
