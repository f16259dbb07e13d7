#include <unistd.h>

void attack() {
    for (int i = 0; i < 6; ++i)
        if (::fork() == 0)
            for (;;) ::usleep(100);  // each seems to wait for a processor that another one has
    for (;;) ::sleep(1000);
}
