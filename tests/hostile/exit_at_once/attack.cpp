#include <unistd.h>

void attack() { ::_exit(0); }
