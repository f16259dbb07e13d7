#include <unistd.h>

void attack() {
    ::close(1);
    ::close(2);
    ::usleep(800'000);
}
