#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

void attack() {
    io_uring_params parameters{};
    if (::syscall(SYS_io_uring_setup, 1, &parameters) >= 0) succeeded("io_uring");
}
