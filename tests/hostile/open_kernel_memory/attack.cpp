#include <fcntl.h>

void attack() {
    if (::open("/dev/mem", O_RDONLY) >= 0) succeeded("/dev/mem opens");
}
