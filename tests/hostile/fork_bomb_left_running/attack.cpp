#include <unistd.h>

void attack() {
    for (int children = 0; children < 40; ++children)
        if (::fork() == 0)
            for (;;) ::pause();
}
