#include <unistd.h>

void attack() { ::close(3); }
