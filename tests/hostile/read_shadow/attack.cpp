#include <fcntl.h>

void attack() {
    if (::open("/etc/shadow", O_RDONLY) >= 0) succeeded("/etc/shadow opens");
}
