#include <unistd.h>

void attack() { ::execl("/bin/sh", "sh", "-c", "echo HOSTILE-SUCCESS", nullptr); }
