#include <unistd.h>
#include <csignal>

void attack() { ::kill(::getppid(), SIGKILL); }
