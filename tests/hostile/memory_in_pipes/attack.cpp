#include <fcntl.h>
#include <unistd.h>

void attack() {
    int ends[2];
    long bytes = 0;
    static char block[1 << 16];
    for (int pipes = 0; pipes < 12 && ::pipe(ends) == 0; ++pipes) {
        ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
        for (ssize_t written = 0; (written = ::write(ends[1], block, sizeof block)) > 0;) bytes += written;
        if (bytes > 3L << 20) succeeded("3 MiB in a few pipes");
    }
}
