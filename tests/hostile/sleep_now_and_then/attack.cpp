#include <unistd.h>

void attack() { ::usleep(400'000); }
