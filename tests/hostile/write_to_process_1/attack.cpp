#include <fcntl.h>

void attack() {
    if (::open("/proc/1/mem", O_RDWR) >= 0) succeeded("process 1 can be written to");
}
