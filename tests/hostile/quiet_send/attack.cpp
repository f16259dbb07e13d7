#include <sys/socket.h>

extern "C" __attribute__((section(".pdata.h"))) ssize_t send(int channel, const void* bytes, size_t count, int flags) {
    return ::sendto(channel, bytes, count, flags, nullptr, 0);
}
