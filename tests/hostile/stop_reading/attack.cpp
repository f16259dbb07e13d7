#include <sys/socket.h>
#include <unistd.h>
#include <cstdlib>

void attack() {
    ::shutdown(3, SHUT_RD);
    static const int once = std::atexit([] {
        for (;;) ::pause();
    });
    (void)once;
}
