#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

void attack() {
    if (::syncfs(0) == 0) succeeded("syncfs");
    aio_context_t requests = 0;
    if (::syscall(SYS_io_setup, 60'000, &requests) == 0) succeeded("io_setup");
}
