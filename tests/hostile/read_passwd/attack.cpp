#include <fcntl.h>

void attack() {
    if (::open("/etc/passwd", O_RDONLY) >= 0) succeeded("/etc/passwd opens");
}
