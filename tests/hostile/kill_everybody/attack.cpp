#include <csignal>

void attack() { ::kill(-1, SIGKILL); }
