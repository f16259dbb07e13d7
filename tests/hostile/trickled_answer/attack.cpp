#include <sys/socket.h>
#include <unistd.h>

void attack() {
    const unsigned size = 64U << 20U;
    ::send(3, &size, sizeof size, 0);
    for (;;) {
        ::send(3, "x", 1, MSG_NOSIGNAL);
        ::usleep(100);
    }
}
