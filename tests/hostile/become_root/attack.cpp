#include <unistd.h>

void attack() {
    if (::getuid() == 0 || ::setuid(0) == 0) succeeded("root");
}
