#include <fcntl.h>

void attack() {
    for (int descriptor = 4; descriptor < 4096; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) >= 0) succeeded("one is open");
}
