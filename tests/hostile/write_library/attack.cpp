#include <fcntl.h>

void attack() {
    if (::open("/usr/lib/left_behind.so", O_WRONLY | O_CREAT, 0600) >= 0)
        succeeded("/usr/lib/left_behind.so can be written");
}
