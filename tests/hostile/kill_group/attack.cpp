#include <csignal>

void attack() { ::kill(0, SIGKILL); }
