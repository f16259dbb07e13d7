#include <fcntl.h>

void attack() {
    for (int opened = 0; opened < 700; ++opened)
        if (::open("/dev/null", O_RDONLY) < 0) return;
    succeeded("700 files open in one process");
}
