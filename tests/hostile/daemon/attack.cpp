#include <unistd.h>

void attack() {
    if (::fork() != 0) return;
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    for (int descriptor = 0; descriptor < 64; ++descriptor) ::close(descriptor);
    for (;;) ::pause();
}
