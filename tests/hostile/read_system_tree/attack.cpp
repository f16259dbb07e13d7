#include <fcntl.h>

void attack() {
    if (::open("/sys/class/net", O_RDONLY) >= 0) succeeded("/sys/class/net opens");
}
