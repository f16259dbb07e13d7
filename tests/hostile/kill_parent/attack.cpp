#include <csignal>
#include <unistd.h>

void attack() {
    ::kill(::getppid(), SIGKILL);
}
