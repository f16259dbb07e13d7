#include <sys/syscall.h>
#include <unistd.h>

void attack() {
    if (::syscall(SYS_memfd_create, "hidden", 0) >= 0) succeeded("memfd_create");
}
