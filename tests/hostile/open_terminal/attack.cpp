#include <fcntl.h>

void attack() {
    if (::open("/dev/tty", O_RDONLY) >= 0) succeeded("/dev/tty opens");
}
