#include <unistd.h>

void attack() { ::fork(); }
