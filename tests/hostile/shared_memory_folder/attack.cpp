#include <fcntl.h>
#include <unistd.h>

void attack() {
    const int file = ::open("/dev/shm/headway_letter", O_RDWR | O_CREAT, 0600);
    if (file < 0) return;
    ::unlink("/dev/shm/headway_letter");
    succeeded("/dev/shm");
}
